"""Documents with one fault put in, and what a build makes of them (`bench/mutate.py`)."""
