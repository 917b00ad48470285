"""Stage 5: contexts to drafts, each resolved against the document. One module an extractor."""
