"""UN Regulation No. 171: the embedded edition, in our own words."""
