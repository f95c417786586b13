"""Execute the notebooks of a folder as a student's Jupyter does, where nothing of ours is installed.

python tests/stock_jupyter.py FOLDER

Exits with 1 where a cell does otherwise than its tags say: a cell tagged `raises-exception` fails and every other runs.
In the student edition the checks of exercises are among the first, in the instructor edition among the others.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

_CELL_SECONDS = 600


def main(folder: Path) -> int:
    """Execute all of them and say what came; the exit code."""
    if importlib.util.find_spec("runthrough"):
        print("runthrough can be imported here: this would prove nothing", file=sys.stderr)
        return 2
    files = sorted(folder.rglob("*.ipynb"))
    faults = [fault for file in files for fault in _faults(file)]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults or not files else 0


def _faults(file: Path) -> list[str]:
    """What a notebook does that it should not, a line each."""
    notebook: Any = nbformat.read(file, as_version=4)  # type: ignore[no-untyped-call]
    failed: set[str] = set()

    def note(cell: Any, execute_reply: Any, **_: Any) -> None:
        if execute_reply["content"]["status"] != "ok":
            failed.add(cell.id)

    client = NotebookClient(notebook, timeout=_CELL_SECONDS, allow_errors=True, on_cell_executed=note)
    client.execute(cwd=str(file.parent), stderr=subprocess.DEVNULL)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    tagged = {cell.id for cell in code if "raises-exception" in _tags(cell)}
    checks = {cell.id for cell in code if "check" in _tags(cell)}
    is_student = notebook.metadata.runthrough.edition == "student"
    meant = f"{len(failed - checks)} raise as the page says"
    print(f"{file}: {len(code)} cells, {meant}, {len(failed & checks)} of {len(checks)} checks fail", flush=True)
    faults = [f"{file}: cell {name} fails" for name in sorted(failed - tagged)]
    faults += [f"{file}: cell {name} should fail and does not" for name in sorted(tagged - failed)]
    if (failed & checks) != (checks if is_student else set()):
        faults.append(f"{file}: in the {notebook.metadata.runthrough.edition} edition {sorted(failed & checks)} fail")
    return faults


def _tags(cell: Any) -> list[str]:
    tags: list[str] = cell.metadata.get("tags", [])
    return tags


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
