"""Stage 4: a query to a Context. One module a retrieval system."""
