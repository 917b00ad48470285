"""The verdict on runs: validity, criteria, quota. Every number that is judged by is a value of the scenario, read from the document."""
