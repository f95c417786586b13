"""The options of `practice`, as argparse reads them and as --help tells them."""

from __future__ import annotations

from runthrough.command_line.parsers import Parser, add_color, add_memory, command_parser, seconds_of

EPILOG = """\
while it watches, type a word and Enter:
  n next   h hint   l list   r reset   c check again   q quit   NUMBER go to that exercise

NAME is an exercise's name, its number, its file, or `current`.

exit codes:
  0    done; with --check, the answer passes
  1    with --check, the answer does not pass
  2    the course, the folder or the command line cannot be read or written
  130  interrupted
"""


def practice_parser() -> Parser:
    """The parser of `runthrough practice`."""
    description = "Give the exercises of a course as files in a folder, and check each file when it is saved."
    parser = command_parser("practice", description, EPILOG)
    add = parser.add_argument
    add("paths", metavar="COURSE", nargs="*", default=[], help="the folder of a course")
    add("--into", default="", metavar="DIR", help="the folder for the exercises; no file of yours is overwritten")
    one_thing = parser.add_mutually_exclusive_group()
    one_thing.add_argument("--list", dest="list_exercises", action="store_true", help="list the exercises, and leave")
    one_thing.add_argument("--check", default="", metavar="NAME", help="check one answer, and leave")
    one_thing.add_argument("--hint", default="", metavar="NAME", help="show the hints of an exercise, and leave")
    one_thing.add_argument("--reset", default="", metavar="NAME", help="put a starter back, keep a backup, and leave")
    add("--timeout", type=seconds_of, default=0.0, metavar="S", help="seconds an answer may take (default: 10)")
    add_memory(parser, "an answer")
    add("--spawn", action="store_true", help="one fresh interpreter a check, without fork")
    add_color(parser)
    return parser
