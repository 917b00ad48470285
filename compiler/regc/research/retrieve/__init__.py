"""Retrieval systems of the literature, rivals of regc's own (retrieve/regc.py): one module each."""
