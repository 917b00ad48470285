"""Retrieval systems of the literature, rivals of regc's own (retrieve/regc.py): one module each."""

#: What systems over chunks share; no system of its own.
HELPERS = ("chunk_store",)
