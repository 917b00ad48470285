"""Runs as measured: the log type, the formats that benches and simulators write, and mapping files for foreign ones."""
