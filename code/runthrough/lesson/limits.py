"""Numbers past which what an author or a command line asks for is a slip."""

from __future__ import annotations

LONGEST_TIMEOUT = 86_400.0  # seconds: a day
