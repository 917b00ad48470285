"""What converters write (Markdown, HTML tables, LaTeX signs) to blocks and printed text."""
