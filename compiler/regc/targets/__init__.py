"""Targets: writers of scenarios and stages; one module or package a target, found by its name."""

#: Modules that several targets stand on.
HELPERS = ("opendrive", "xml_writer")
