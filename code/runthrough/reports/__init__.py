"""Telling: results on the terminal and as JSON. Nothing here reads a lesson or runs one."""
