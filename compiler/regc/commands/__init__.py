"""One file a CLI command."""
