"""Runs artefacts and judges what came out."""
