"""Parts of bench/judge.py: what the clauses ask, drives of known truth, records of them."""
