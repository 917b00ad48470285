"""How good a build is: penalized F1, Meta-Score, retrieval metrics, coverage."""
