"""Stage 4: a query to a Context. One module a retrieval system."""

#: What the systems are made of; no system of its own.
HELPERS = ("closure", "context", "lexical", "mentions", "ranking", "structure", "thesaurus", "tokens", "vectors")
