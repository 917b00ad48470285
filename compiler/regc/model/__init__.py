"""The types that travel between stages; imports nothing else of regc."""
