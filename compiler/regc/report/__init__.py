"""The report that an engineer signs."""
