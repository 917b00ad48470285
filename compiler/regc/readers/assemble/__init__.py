"""Blocks of any format to a Document: numbering, clause tree, tables, footnotes, figures, repairs."""
