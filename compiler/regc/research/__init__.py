"""The literature's retrieval systems, benchmarks and scores. The road from document to verdict imports nothing of it."""
