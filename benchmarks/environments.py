"""An environment of its own for each peer, and one installed copy of torch that all of them read."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "environments"
_STAMP = "installed.json"


@dataclass(frozen=True)
class Peer:
    """A tool that runs lessons: its name and what pip installs for it. Versions are pinned, so that numbers repeat."""

    name: str
    requirements: tuple[str, ...]


@dataclass(frozen=True)
class Environment:
    """Where a peer is installed."""

    folder: Path

    @property
    def python(self) -> str:
        """The interpreter."""
        return str(self.folder / "bin" / "python")

    def script(self, name: str) -> str:
        """A command that was installed there."""
        return str(self.folder / "bin" / name)

    def site_packages(self) -> Path:
        """Where its packages lie."""
        (found,) = self.folder.glob("lib/python*/site-packages")
        return found

    def version(self, distribution: str) -> str:
        """The version of an installed distribution. Raises CalledProcessError where there is none."""
        ask = f"from importlib.metadata import version; print(version({distribution!r}))"
        return subprocess.run([self.python, "-c", ask], capture_output=True, text=True, check=True).stdout.strip()


_PYTEST, _KERNEL = ("pytest==9.2.0",), ("ipykernel==7.4.0",)

TORCH = Peer("torch", ("torch==2.13.0", "numpy>=2"))
OURS = Peer("runthrough", ("-e", str(ROOT)))
PEERS = {
    peer.name: peer
    for peer in (
        Peer("pytest-markdown-docs", (*_PYTEST, "pytest-markdown-docs==0.9.2")),
        Peer("pytest-codeblocks", (*_PYTEST, "pytest-codeblocks==0.18.0")),
        Peer("sybil", (*_PYTEST, "sybil==10.1.0")),
        Peer("mktestdocs", (*_PYTEST, "mktestdocs==0.2.5")),
        Peer("pytest-examples", (*_PYTEST, "pytest-examples==0.0.18")),
        Peer("nbmake", (*_PYTEST, *_KERNEL, "pytest-xdist==3.8.0", "nbmake==1.5.5")),
        Peer("nbval", (*_PYTEST, *_KERNEL, "nbval==0.11.0")),
        Peer("nbclient", (*_KERNEL, "nbclient==0.11.0")),
        Peer("papermill", (*_KERNEL, "papermill==2.7.0")),
        Peer("jupytext", (*_KERNEL, "jupytext==1.19.6", "nbclient==0.11.0", "nbconvert")),
    )
}


def environment(peer: Peer, tell: Callable[[str], None], *, torch: bool = False) -> Environment:
    """The peer's environment, made where it is not there or holds something else. Raises CalledProcessError.

    With `torch`, it can import the torch of one environment beside it: the same files for all, read from the disk once.
    """
    made = _made(FOLDER / peer.name, peer.requirements, tell)
    if torch and peer != TORCH:
        base = _made(FOLDER / TORCH.name, TORCH.requirements, tell)
        shared = made.site_packages() / "shared-torch.pth"
        shared.write_text(f"{base.site_packages()}\n", encoding="utf-8")
    return made


def _made(folder: Path, requirements: tuple[str, ...], tell: Callable[[str], None]) -> Environment:
    stamp = folder / _STAMP
    wanted = json.dumps([sys.version, *requirements])
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
        tell(f"installing {' '.join(requirements)} into {folder.relative_to(ROOT)}")
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", *requirements], check=True)
        stamp.write_text(wanted, encoding="utf-8")
    return Environment(folder)
