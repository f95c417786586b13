"""Who imports whom: recorded while modules are loaded ahead, so that each can be shown with what it brings."""

from __future__ import annotations

import builtins
import contextlib
import importlib
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any

# What each library has loaded with it, though it would load it by itself when it is first touched.
_LOADED_WITH = {"numpy": "numpy.random"}


@dataclass(frozen=True)
class Imports:
    """Modules that were loaded while imports were recorded, and which of them each one imports.

    A copy of the process pays for every object that it touches, so the links are numbers in one array: those of the
    module at place `n` in `places` stand in `targets` from `starts[n]` to `starts[n + 1]`. `own_names` are those that
    a package which makes some when they are asked for had before it was asked.
    """

    places: Mapping[str, int]
    names: tuple[str, ...]
    starts: Sequence[int]
    targets: Sequence[int]
    own_names: Mapping[str, frozenset[str]]

    def reached_from(self, names: Iterable[str]) -> tuple[str, ...]:
        """The recorded modules that are there once `names` are imported, these included."""
        return self._named(self._reached(names), 1)

    def not_reached_from(self, names: Iterable[str]) -> tuple[str, ...]:
        """The recorded modules that an import of `names` does not load."""
        return self._named(self._reached(names), 0)

    def _reached(self, names: Iterable[str]) -> bytearray:
        reached = bytearray(len(self.names))
        ahead = [self.places[name] for name in names if name in self.places]
        while ahead:
            place = ahead.pop()
            if not reached[place]:
                reached[place] = 1
                ahead += self.targets[self.starts[place] : self.starts[place + 1]]
        return reached

    def _named(self, marks: bytearray, mark: int) -> tuple[str, ...]:
        return tuple(self.names[place] for place, other in enumerate(marks) if other == mark)


def linked(links: Mapping[str, Iterable[str]], own_names: Mapping[str, frozenset[str]]) -> Imports:
    """Imports of which each module's links are told by name."""
    # New texts lie beside each other in memory, and those from the imports all over it.
    names = tuple(" ".join(links).split())
    places = {name: place for place, name in enumerate(names)}
    starts, targets = array("L", [0]), array("L")
    for name in names:
        targets.extend(places[other] for other in {*links[name], name.rpartition(".")[0]} if other in places)
        starts.append(len(targets))
    return Imports(places, names, starts, targets, own_names)


@contextlib.contextmanager
def recorded() -> Iterator[ImportRecord]:
    """Record who imports whom in this block, in which one thread imports."""
    record = ImportRecord(builtins.__import__, importlib._bootstrap._gcd_import)  # type: ignore[attr-defined]  # what import_module calls
    sys.meta_path.insert(0, record)
    builtins.__import__ = record.import_statement
    importlib._bootstrap._gcd_import = record.import_call  # type: ignore[attr-defined]  # the same
    try:
        yield record
    finally:
        builtins.__import__ = record.statement
        importlib._bootstrap._gcd_import = record.call  # type: ignore[attr-defined]  # the same
        sys.meta_path.remove(record)


class ImportRecord(MetaPathFinder):
    """Hears of every import, and notes it as one of the module whose own code is just being run."""

    def __init__(self, statement: Any, call: Any) -> None:
        self.statement = statement
        self.call = call
        self._before = frozenset(sys.modules)
        self._found: dict[str, None] = {}
        self._begun: list[str] = []
        self._links: dict[str, set[str]] = {}
        self._own_names: dict[str, frozenset[str]] = {}

    def imports(self) -> Imports:
        """What was found so far. What was put into `sys.modules` by hand is none of it."""
        loaded = {
            name: self._links.get(name, set())
            for name in self._found
            if name not in self._before and isinstance(sys.modules.get(name), ModuleType)
        }
        for library, part in _LOADED_WITH.items():
            if library in loaded:
                loaded[library].add(part)
        return linked(loaded, self._own_names)

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        """Note that a module is looked for, and leave finding it to the others."""
        self._note([name])
        self._note_own_names(name.rpartition(".")[0])
        self._found[name] = None
        self._begun.append(name)

    def import_statement(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,  # noqa: A002  # the builtin's own name
        locals: Mapping[str, Any] | None = None,  # noqa: A002  # the same
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """What an import statement calls."""
        whole = _absolute(name, (globals or {}).get("__package__") or "", level)
        self._note([whole, *(f"{whole}.{entry}" for entry in fromlist or ())])
        module: ModuleType = self.statement(name, globals, locals, fromlist, level)
        if fromlist and "*" in fromlist:
            self._note(f"{whole}.{entry}" for entry in getattr(module, "__all__", ()))
        return module

    def import_call(self, name: str, package: str | None = None, level: int = 0) -> ModuleType:
        """What `importlib.import_module` calls."""
        self._note([_absolute(name, package or "", level)])
        module: ModuleType = self.call(name, package, level)
        return module

    def _note(self, names: Iterable[str]) -> None:
        if importer := self._being_run():
            self._links.setdefault(importer, set()).update(names)

    def _note_own_names(self, package: str) -> None:
        """What a package has before a part of it is loaded for the first time after its own import."""
        if package and package not in self._own_names and not _is_being_run(package):
            names = getattr(sys.modules.get(package), "__dict__", ())
            if "__getattr__" in names:
                self._own_names[package] = frozenset(names)

    def _being_run(self) -> str:
        """The innermost module whose code has begun and not ended."""
        # The last that was looked for may not have begun, as other finders import too.
        waiting = self._begun[-1:] if self._begun and self._begun[-1] not in sys.modules else []
        while self._begun and not _is_being_run(self._begun[-1]):
            self._begun.pop()
        importer = self._begun[-1] if self._begun else ""
        self._begun += waiting
        return importer


def _absolute(name: str, package: str, level: int) -> str:
    """The whole name of what is imported relative to a package."""
    if not level:
        return name
    base = package.rsplit(".", level - 1)[0]
    return f"{base}.{name}" if name else base


def _is_being_run(name: str) -> bool:
    return getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False)
