"""The random state of a lesson: each generator starts from the run's seed, loaded ahead or by the lesson itself."""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from runthrough.job import Job

_SEED: Mapping[str, Callable[[Any, int], object]] = {
    "numpy.random": lambda numpy_random, seed: numpy_random.seed(seed),
    "torch": lambda torch, seed: torch.default_generator.manual_seed(seed),
}


def seed_generators(job: Job, loaded: Callable[[str], ModuleType | None]) -> None:
    """Give every generator a state of its own, from the run's seed and the lesson's file name.

    One whose library is not among the `loaded` gets it as soon as it is.
    """
    text = f"{job.seed}:{os.path.basename(job.path)}"
    seed = int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=4).digest(), "big")
    random.seed(seed)
    waiting = set()
    for name in _SEED:
        if module := loaded(name):
            _start(name, module, seed)
        else:
            waiting.add(name)
    if waiting:
        sys.meta_path.insert(0, _LateSeeding(seed, waiting))


def _start(name: str, module: ModuleType, seed: int) -> None:
    # A learner's own file may have the library's name.
    with contextlib.suppress(AttributeError):
        _SEED[name](module, seed)


class _LateSeeding(MetaPathFinder):
    """Seeds libraries that the lesson is the first to load."""

    def __init__(self, seed: int, waiting: set[str]) -> None:
        self._seed = seed
        self._waiting = waiting

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What the other finders give for a library that is waited for, with its seeding added."""
        if name not in self._waiting or target is not None:
            return None
        found = (finder.find_spec(name, path, target) for finder in sys.meta_path if finder is not self)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _SeededLoader(self, spec, spec.loader)
        return spec

    def seed(self, module: ModuleType) -> None:
        """Seed a library that has just been loaded, once in a process."""
        if module.__name__ in self._waiting:
            self._waiting.remove(module.__name__)
            _start(module.__name__, module, self._seed)


@dataclass(frozen=True)
class _SeededLoader(Loader):
    """Loads as the library's own loader does, which stands in the module as ever, and has its generator seeded."""

    seeding: _LateSeeding
    spec: ModuleSpec
    own: Loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self.spec.loader = self.own
        module.__loader__ = self.own
        self.own.exec_module(module)
        self.seeding.seed(module)
