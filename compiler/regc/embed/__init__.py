"""Embedders: text to unit vectors. One module a model."""
