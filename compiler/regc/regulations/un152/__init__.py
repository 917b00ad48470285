"""UN Regulation No. 152: profile and embedded editions, in our own words."""
