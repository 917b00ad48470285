"""One folder a regulation: a profile (data only) and the embedded editions."""
