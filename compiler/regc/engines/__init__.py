#: What drives a test; the other modules help them.
ENGINES = ("esmini", "kinematic")
