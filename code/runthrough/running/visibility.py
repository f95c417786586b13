"""What a lesson sees of the modules that its process holds: what its own imports brought, and nothing loaded ahead.

A module that another lesson needs is there in a warm process. Left in sight, it would let a lesson pass that forgets
to import it.
"""

from __future__ import annotations

import _imp
import contextlib
import copy
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import FunctionType, ModuleType
from typing import Any

from runthrough.running.import_graph import Imports


class HiddenModules(MetaPathFinder):
    """Modules that are loaded and out of sight. An import of one brings it back, with all that it imports itself."""

    def __init__(self, imports: Imports) -> None:
        self.imports = imports
        self._hidden: dict[str, ModuleType] = {}
        self._packages: dict[str, ModuleType | None] = {}
        self._taken_off: set[str] = set()

    def hide(self, names: Iterable[str]) -> None:
        """Take modules out of sight, as far as they are not."""
        known = {name: sys.modules[name] for name in names if name in sys.modules}
        if known and not self._hidden:
            sys.meta_path.insert(0, self)
        self._packages |= {name: self.get(_package(name)) for name in known}
        for name in known:
            del sys.modules[name]
        self._hidden |= known
        self._take_off(name for name in known if _package(name) not in self._hidden)

    def get(self, name: str) -> ModuleType | None:
        """A module that is loaded, whether in sight or not."""
        return sys.modules.get(name) or self._hidden.get(name)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A spec that loads the hidden module of this name; none where a fresh import would load another.

        That is so where another file stands before it on the import path, and where its package was loaded anew.
        """
        with _import_lock():
            module = self._hidden.get(name)
            if module is None:
                return None
            if _is_shadowed(name, module) if path is None else self.get(_package(name)) is not self._packages[name]:
                self._forget(name)
                return None
        own = module.__spec__
        spec = copy.copy(own) if own else ModuleSpec(name, None)
        spec.loader = _BringBack(self, module)
        return spec

    def bring_back(self, name: str) -> None:
        """Put a module in sight, with all that its import would have loaded."""
        with _import_lock():
            back = {each: module for each in self.imports.reached_from([name]) if (module := self._hidden.get(each))}
            for each, module in back.items():
                sys.modules.setdefault(each, module)
                del self._hidden[each]
            for each in self._taken_off & back.keys():
                if package := sys.modules.get(_package(each)):
                    vars(package).setdefault(each.rpartition(".")[2], back[each])
            self._taken_off -= back.keys()
            self._take_off(each for each in self._hidden if _package(each) in back)

    def _take_off(self, names: Iterable[str]) -> None:
        """Take hidden modules off their packages, which are in sight and may keep some of their names."""
        parts: dict[str, set[str]] = {}
        for name in names:
            parts.setdefault(_package(name), set()).add(name)
        for package, inside in parts.items():
            holder = vars(sys.modules[package]) if package in sys.modules else {}
            for name in inside:
                if holder.get(last := name.rpartition(".")[2]) is self._hidden[name]:
                    del holder[last]
                    self._taken_off.add(name)
            # Such a package imports a part when a name of it is first asked for, and then keeps what it found.
            if type(holder.get("__getattr__")) is FunctionType:
                own = self.imports.own_names.get(package, frozenset())
                for attribute in [each for each, value in holder.items() if _home(value) in inside and each not in own]:
                    del holder[attribute]

    def _forget(self, name: str) -> None:
        """Let a fresh import have its way with a module and all below it."""
        for each in [each for each in self._hidden if each == name or each.startswith(f"{name}.")]:
            del self._hidden[each]


class _BringBack(Loader):
    """Loads a module that is hidden: its code has run, so it is only put in sight. Else it is as the module's own."""

    def __init__(self, hidden: HiddenModules, module: ModuleType) -> None:
        self._hidden = hidden
        self._module = module
        self._own = {name: vars(module).get(name) for name in ("__spec__", "__loader__", "__package__")}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own["__loader__"], name)

    def __repr__(self) -> str:
        return repr(self._own["__loader__"])

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(self._own)
        self._hidden.bring_back(module.__name__)


@contextlib.contextmanager
def _import_lock() -> Iterator[None]:
    """Python's own lock of imports, which a forked copy of the process finds free."""
    _imp.acquire_lock()
    try:
        yield
    finally:
        _imp.release_lock()


def _package(name: str) -> str:
    return name.rpartition(".")[0]


def _home(value: object) -> str:
    """The module in which a function or class was made; "" of anything else."""
    return str(value.__module__) if issubclass(type(value), FunctionType | type) else ""


def _is_shadowed(name: str, module: ModuleType) -> bool:
    """True where the lesson's import path leads to another file of this name, such as one beside the lesson."""
    own = module.__spec__
    found = PathFinder.find_spec(name)
    return bool(own and own.has_location and found and found.has_location and found.origin != own.origin)
