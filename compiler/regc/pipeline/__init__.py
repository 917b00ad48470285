"""From a request to a build folder: which document and profile, the steps in order (build.py), what is written."""
