"""Stage 6: scenarios to Checked. The order of the checks is CHECKS."""
