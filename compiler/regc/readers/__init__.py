"""Readers: a module or package a format, with `suffixes` and `read`."""

#: What readers share; no format of its own.
HELPERS = ("assemble", "markup")
