"""The command line as typed words, read into what was meant, or into one sentence on what to type instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runthrough.command_line.parsers import COMMANDS, STDOUT, Parser, UsageError, parsers


@dataclass(frozen=True)
class Options:
    """What was asked for. `json` is "" for none, "-" for standard output, else a file's path.

    `jobs` of 0 means one a core, `timeout` of 0 the default, `memory_mib` of 0 no limit, and a `seed` of None
    that one is drawn.
    """

    command: str
    paths: tuple[str, ...] = ()
    json: str = ""
    jobs: int = 0
    exit_first: bool = False
    expression: str = ""
    quiet: bool = False
    verbose: bool = False
    keep_going: bool = False
    timeout: float = 0.0
    memory_mib: int = 0
    seed: int | None = None
    spawn: bool = False
    min_fences: int = 0
    color: bool = True
    junit: str = ""
    github: bool = False
    write: bool = False
    new: bool = False
    to: str = ""
    edition: str = "student"
    execute: bool = False
    force: bool = False
    into: str = ""
    list_exercises: bool = False
    check: str = ""
    hint: str = ""
    reset: str = ""

    @property
    def is_one_thing(self) -> bool:
        """True where `practice` is to do one thing and leave."""
        return bool(self.list_exercises or self.check or self.hint or self.reset)


def parse(words: Sequence[str]) -> Options:
    """The options in `words`. Raises UsageError; exits with 0 after --help and --version."""
    top, subparsers = parsers()
    if not words or words[0].startswith("-"):
        top.parse_args(words)  # --help and --version leave from here
        raise UsageError(f"name a command: {', '.join(COMMANDS)} (runthrough --help tells more)")
    command, rest = words[0], words[1:]
    if command not in subparsers:
        raise UsageError(_unknown_command(command))
    parser = subparsers[command]
    options, literal = _split_at_dashes(_json_spelled_out(rest))
    found, unknown = parser.parse_known_intermixed_args(options)
    if unknown:
        raise UsageError(_unknown_option(unknown[0], parser))
    fields = vars(found)
    paths = (*fields.pop("paths"), *literal)
    file = fields.get("json", "")
    if file and file != STDOUT and not file.endswith(".json"):
        raise UsageError(f"--json={file}: name a file that ends in .json")
    junit = fields.get("junit")
    if junit is not None and not junit.endswith(".xml"):
        raise UsageError(f"--junit {junit}: name a file that ends in .xml")
    return Options(command=command, paths=paths, **fields)


def _json_spelled_out(words: Sequence[str]) -> list[str]:
    """`--json lesson.md` with the lesson as a lesson: argparse takes any next word for a report's file."""
    spelled = list(words)
    for index, word in enumerate(words):
        following = words[index + 1] if index + 1 < len(words) else ""
        if word == "--json" and following != STDOUT and not following.endswith(".json"):
            spelled[index] = f"--json={STDOUT}"
    return spelled


def _split_at_dashes(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """The words before a `--`, and those after it, which are paths however they begin."""
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1 :]


def _unknown_command(word: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(word, COMMANDS, n=1)
    if close:
        return f"there is no command {word!r}; did you mean {close[0]!r}?"
    return f"there is no command {word!r}; to run lessons there, type: runthrough check {word}"


def _unknown_option(word: str, parser: Parser) -> str:
    known = [option for action in parser._actions for option in action.option_strings]
    from difflib import get_close_matches

    close = get_close_matches(word.partition("=")[0], known, n=1)
    meant = f"did you mean {close[0]}?" if close else f"{parser.prog} --help lists the options"
    return f"there is no option {word}; {meant}"
