"""Targets: writers of scenarios and stages; one module or package a target, found by its name."""
