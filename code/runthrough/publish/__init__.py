"""Notebooks and pages, made of lessons that have been read."""
