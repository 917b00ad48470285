"""Stage 7: Checked to artefacts. One module a target."""
