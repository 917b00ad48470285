"""What the commands share: their flags, what they open, what they print."""
