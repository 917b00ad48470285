"""Benchmarks as commands: retrieval, question answering, systems."""
