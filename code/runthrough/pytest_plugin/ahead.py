"""What can be told before anything is collected: whether tests will run, and what their lessons will import."""

from __future__ import annotations

import pytest

from runthrough.lesson.discovery import NAMED_SUFFIXES
from runthrough.road import soon_imported

# Options, by the names pytest keeps them under, with which it lists things and runs no test.
_LISTING = ("collectonly", "setupplan", "setuponly", "showfixtures", "show_fixtures_per_test", "cacheshow")


def runs_nothing(config: pytest.Config) -> bool:
    """True where pytest was asked to list what it has; the plugins that know of an option may be off."""
    return any(config.getoption(name, False) for name in _LISTING)


def soon_wanted(config: pytest.Config) -> tuple[str, ...]:
    """The modules that lessons at the paths of this run seem to import."""
    if "not runthrough" in config.getoption("markexpr", ""):
        return ()
    paths = [config.invocation_params.dir / argument.partition("::")[0] for argument in config.args]
    may_have_lessons = [path for path in paths if path.is_dir() or path.name.lower().endswith(NAMED_SUFFIXES)]
    return soon_imported([str(path) for path in may_have_lessons]) if may_have_lessons else ()
