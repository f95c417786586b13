"""Files that are whole or not there: written aside, then renamed into place."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

_NAME = 40  # characters, of four bytes at most


def write_whole(path: Path, data: bytes) -> None:
    """Put `data` at `path` in one step, so that no reader ever meets a half-written file.

    Missing folders are made. A file that stood there keeps its permissions. Raises OSError where the folder
    cannot be written; the old file then stands as it was.
    """
    path = path.resolve()  # through a symbolic link, so that the link itself stays
    path.parent.mkdir(parents=True, exist_ok=True)
    # Named before it is made, so that an interrupt at any moment finds what to take away; no longer than names may be.
    aside = path.with_name(f".{path.name[:_NAME]}.{secrets.token_hex(4)}.part")
    try:
        with open(aside, "xb", opener=_for_the_owner) as file:
            file.write(data)
            os.fchmod(file.fileno(), _mode_for(path))
        aside.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            aside.unlink()
        raise


def _for_the_owner(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


def _mode_for(path: Path) -> int:
    """The permission bits of the file there, or those a plain `open` would give a new one."""
    try:
        return path.stat().st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
