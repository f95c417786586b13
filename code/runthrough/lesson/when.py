"""`when="torch>=2.9"`: whether what is installed is what a fence asks for."""

from __future__ import annotations

import re
from functools import cache


class WhenError(ValueError):
    """The condition cannot be read; the text says why."""


def check_when(condition: str) -> None:
    """Raises WhenError where `condition` is neither requirements nor an environment marker."""
    for part in _parts(condition):
        _unmet(part, dict.fromkeys(_names(part), "0"))


def unmet(condition: str, versions: dict[str, str] | None = None) -> str:
    """Why `condition` does not hold here, or "" where it does.

    `versions` stands in for what is installed, by distribution name (`python` for the interpreter); what it does
    not name is looked up. Raises WhenError.
    """
    reasons = [_unmet(part, versions or {}) for part in _parts(condition)]
    return "; ".join(reason for reason in reasons if reason)


def _parts(condition: str) -> list[str]:
    """`torch>=2.9, python>=3.12` in two; a comma within one requirement (`torch>=2.9,<2.13`) does not part it."""
    parts: list[str] = []
    for piece in condition.split(","):
        if parts and re.match(r"\s*[<>=!~]", piece):
            parts[-1] += "," + piece.strip()
        else:
            parts.append(piece.strip())
    if not all(parts):
        raise WhenError("it is empty, or has a comma too many")
    return parts


_MARKER = re.compile(r"\b(?:os_name|sys_platform|platform_\w+|python_(?:full_)?version|implementation_\w+)\b")


def _names(part: str) -> list[str]:
    return re.findall(r"[A-Za-z0-9][A-Za-z0-9._-]*", part)


def _unmet(part: str, versions: dict[str, str]) -> str:
    from packaging.markers import InvalidMarker, Marker, UndefinedEnvironmentName
    from packaging.requirements import InvalidRequirement, Requirement

    if _MARKER.search(part):
        try:
            return "" if Marker(part).evaluate() else f"needs {part}"
        except (InvalidMarker, UndefinedEnvironmentName) as error:
            raise WhenError(str(error).splitlines()[0]) from None
    try:
        requirement = Requirement(part)
    except InvalidRequirement as error:
        raise WhenError(str(error).splitlines()[0]) from None
    if requirement.url or requirement.extras:
        raise WhenError("a name and versions are all it takes")
    here = versions.get(requirement.name) or installed_version(requirement.name)
    if not here:
        return f"needs {part}, which is not installed"
    if requirement.specifier.contains(here, prereleases=True):
        return ""
    return f"needs {part}, here {here}"


@cache
def installed_version(name: str) -> str:
    """The version of Python or of a distribution that is here, "" where it is not."""
    if name.lower() == "python":
        import platform

        return platform.python_version()
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def decided(condition: str, versions: dict[str, str]) -> bool | None:
    """Whether `condition` holds where these distributions are installed; None where they do not decide it."""
    parts = _parts(condition)
    if any(_MARKER.search(part) or (_names(part) or [""])[0] not in versions for part in parts):
        return None
    return not any(_unmet(part, versions) for part in parts)
