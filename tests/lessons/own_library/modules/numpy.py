"""A module of the user's own that has a library's name, and nothing of what the library has."""

WHOSE = "the user's own"
