"""Measurements: how well and how fast, not whether it works."""
