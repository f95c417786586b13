"""Courses whose every page is proved by running it."""

__version__ = "0.1.0"
