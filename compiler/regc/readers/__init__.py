"""Stage 1: a file to a Document. One module a format."""
