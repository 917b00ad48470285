"""UN Regulation No. 131: embedded edition, in our own words."""
