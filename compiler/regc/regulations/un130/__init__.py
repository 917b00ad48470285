"""UN Regulation No. 130: embedded edition, in our own words."""
