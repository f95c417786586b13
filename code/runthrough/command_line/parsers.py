"""The commands and their options, as argparse reads them and as --help tells them."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import NoReturn

from runthrough import __version__
from runthrough.lesson.limits import LONGEST_TIMEOUT

COMMANDS = ("check", "list", "update", "notebooks", "import", "practice")
STDOUT = "-"
MOST_MEMORY_MIB = 1 << 30  # a pebibyte: more than any machine has, and less than a limit can hold

SUMMARY = """\
commands:
  check      run the lessons
  list       print every fence, without running it
  update     show the texts of a page that are not what came, or write them
  notebooks  write the lessons as notebooks, for students or for instructors
  import     write a lesson from a Jupyter notebook
  practice   give a course's exercises as files, and check each as it is saved

"""

EPILOG = """\
exit codes:
  0    every lesson holds
  1    a lesson does not hold
  2    a lesson or the command line cannot be read; nothing has run
  130  interrupted
"""

NOTEBOOKS_EPILOG = """\
exit codes:
  0    every notebook is written, and with --execute each cell does what its lesson says
  1    a cell does not do what its lesson says; the notebooks are written with what came
  2    a lesson, an image or the command line cannot be read, or a file is in the way; nothing is written
  130  interrupted
"""

UPDATE_EPILOG = """\
exit codes:
  0    nothing to change, or all of it written
  1    something to change is not written, or a lesson does not hold for another reason
  2    a lesson or the command line cannot be read; nothing has run
  130  interrupted
"""

IMPORT_EPILOG = """\
exit codes:
  0    the lesson is written
  2    the notebook or the command line cannot be read, or a file is in the way; nothing is written
  130  interrupted
"""


class UsageError(Exception):
    """The command line cannot be read; the text says why and what to type."""


class Parser(argparse.ArgumentParser):
    """argparse, with its complaints as exceptions, so that there is one place that prints and exits."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} ({self.prog} --help tells more)")


def command_parser(name: str, description: str, epilog: str = "") -> Parser:
    """The parser of one subcommand, without its options."""
    return Parser(
        prog=f"runthrough {name}",
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def parsers() -> tuple[Parser, dict[str, Parser]]:
    from runthrough.command_line.practice_parser import practice_parser  # which itself is made of what stands here

    top = Parser(
        prog="runthrough",
        description="Run every code fence of Markdown lessons, and tell the truth about each.",
        epilog=SUMMARY + EPILOG,
        usage="runthrough [--help] [--version] {" + ",".join(COMMANDS) + "} ...",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"runthrough {__version__}")
    check = command_parser("check", "Run every fence of the lessons and tell the outcome of each.", EPILOG)
    listing = command_parser("list", "Print every fence in document order, and whether it runs. Nothing is run.")
    update = command_parser(
        "update",
        "Run the lessons and show every output, message and number on their pages that is not what came.",
        UPDATE_EPILOG,
    )
    notebooks = command_parser(
        "notebooks", "Write each lesson as a notebook. Nothing is run, unless --execute says so.", NOTEBOOKS_EPILOG
    )
    for parser in (check, listing, update, notebooks):
        _add_paths(parser)
    for parser in (check, listing, notebooks):
        _add_json(parser)
    _add_choice(check)
    _add_writing(update)
    _add_edition(notebooks)
    for parser in (check, update):
        _add_limits(parser)
    return top, {
        "check": check,
        "list": listing,
        "update": update,
        "notebooks": notebooks,
        "import": _import_parser(),
        "practice": practice_parser(),
    }


def _add_paths(parser: Parser) -> None:
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        default=[],
        help="a lesson, a folder or a course (default: the courses below this folder)",
    )


def _import_parser() -> Parser:
    parser = command_parser(
        "import",
        "Write a lesson from a Jupyter notebook, and tell of all that is not kept. Nothing is run.",
        IMPORT_EPILOG,
    )
    parser.add_argument("paths", metavar="NOTEBOOK [LESSON]", nargs="*", default=[], help="a .ipynb file, and the .md")
    parser.add_argument("--force", action="store_true", help="replace a lesson that is there and holds other words")
    return parser


def _add_json(parser: Parser) -> None:
    parser.add_argument(
        "--json",
        nargs="?",
        const=STDOUT,
        default="",
        metavar="FILE.json",
        help="write JSON to the file; without one, JSON alone to standard output",
    )


def _add_choice(parser: Parser) -> None:
    add = parser.add_argument
    add(
        "-k",
        dest="expression",
        type=_expression,
        default=argparse.SUPPRESS,
        metavar="EXPR",
        help="only what matches, as in 'leaf and not graph'",
    )
    add("--junit", default=argparse.SUPPRESS, metavar="FILE.xml", help="write JUnit XML to the file, a suite a lesson")
    add("--github", action="store_true", help="annotations for GitHub Actions, and a summary of the job")
    add("-x", dest="exit_first", action="store_true", help="stop after the first lesson that does not hold")
    add("--keep-going", action="store_true", help="run on after a failed fence, for diagnosis")
    add("--min-fences", type=AtLeast(0), default=0, metavar="N", help="fail where fewer than N fences ran")
    loudness = parser.add_mutually_exclusive_group()
    loudness.add_argument("-q", "--quiet", action="store_true", help="failures and the closing line only")
    loudness.add_argument(
        "-v", "--verbose", action="store_true", help="also what was skipped and why, and whole tracebacks"
    )
    add_color(parser)


def _add_writing(parser: Parser) -> None:
    add = parser.add_argument
    add("--write", action="store_true", help="write what is shown to the files, and change nothing else in them")
    add("--new", action="store_true", help="fill output and error fences that are empty, too")
    add_color(parser)


def _add_edition(parser: Parser) -> None:
    add = parser.add_argument
    add("--to", required=True, metavar="DIR", help="the folder for the notebooks; it is made where it is missing")
    add(
        "--edition",
        choices=("student", "instructor"),
        default="student",
        help="without or with the solutions (default: student)",
    )
    add("--execute", action="store_true", help="execute them in a Jupyter kernel, and store the outputs")
    add("--force", action="store_true", help="replace notebooks and files there that somebody has edited")
    add("--timeout", type=seconds_of, default=0.0, metavar="S", help="seconds a cell may take (default: 30)")


def add_color(parser: Parser) -> None:
    parser.add_argument("--no-color", dest="color", action="store_false", help="no colours (NO_COLOR does the same)")


def _add_limits(parser: Parser) -> None:
    add = parser.add_argument
    add(
        "-j",
        "--jobs",
        type=AtLeast(1),
        default=0,
        metavar="N",
        help="lessons at a time (default: one a core)",
    )
    add("--timeout", type=seconds_of, default=0.0, metavar="S", help="seconds a fence may take (default: 30)")
    add_memory(parser, "a lesson")
    add("--seed", type=AtLeast(0), default=None, metavar="N", help="repeat a run that drew this seed")
    add("--spawn", action="store_true", help="one fresh interpreter a lesson, without fork")


def add_memory(parser: Parser, what: str) -> None:
    parser.add_argument(
        "--memory",
        dest="memory_mib",
        type=AtLeast(1, MOST_MEMORY_MIB),
        default=0,
        metavar="MIB",
        help=f"memory {what} may take",
    )


@dataclass(frozen=True)
class AtLeast:
    """Reads a whole number that is not below `least`, nor above `most` where there is one."""

    least: int
    most: int | None = None

    def __call__(self, word: str) -> int:
        try:
            number = int(word)
        except ValueError:
            number = self.least - 1
        if number < self.least:
            raise argparse.ArgumentTypeError(f"{word!r} is not a whole number of at least {self.least}")
        if self.most is not None and number > self.most:
            raise argparse.ArgumentTypeError(f"{word!r} is above {self.most}")
        return number


def _expression(words: str) -> str:
    from runthrough.selection import SelectionError, matcher

    try:
        matcher(words)
    except SelectionError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return words


def seconds_of(word: str) -> float:
    """Reads a number of seconds that a fence may take."""
    try:
        number = float(word)
    except ValueError:
        number = 0.0
    if not 0 < number <= LONGEST_TIMEOUT:
        raise argparse.ArgumentTypeError(f"{word!r} is not a number of seconds above 0 and of a day at most")
    return number
