"""Engines: what drives a Stage."""

#: What drives a test; the other modules help them.
ENGINES = ("esmini", "kinematic")
