"""Stage 4: a query to a Context. One module a retrieval system."""

#: What the systems are made of; no system of its own.
HELPERS = ("context", "lexical", "mentions", "ranking", "structure", "vectors")
