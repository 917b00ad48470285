"""The literature's scores: penalized F1, Meta-Score, recall and ranks of retrieval."""
