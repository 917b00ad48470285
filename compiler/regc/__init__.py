"""regc compiles vehicle-safety regulations into test cases and simulation files, each number traced to its place."""

__version__ = "0.1.0"
