"""The answers as the page docs/false-greens.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from benchmarks.false_greens.asking import PATIENCE, Answer
from benchmarks.false_greens.cases import CASES, GREEN, RED, Case
from benchmarks.false_greens.tools import LIMIT, TOOLS, Tool

HEAD = """\
# What other tools say

A checker that stays green on a broken page is worse than none. Here every tool was run on the same pages: a page a
case, in a process of its own, in an environment of its own, by the command that its documentation gives. The table is
written by the run that it shows:

```console
python3 -m nox -s false_greens
```

Tools that read notebooks got the page's fences as cells. A tool that can be told a time limit was told {limit}
seconds; one that had not ended after {patience} seconds was ended from outside. A tool that takes several files was
given a second page, behind that of the case.
"""

LEGEND = """\
- **bold**: not what the page deserves. **green** in the first table is a false green, **red** in the second a false
  alarm, **runs on** had to be ended from outside.
- ○: the tool has no feature for it and claims none, or does otherwise by design. Most tools compare no output, read no
  prose and watch no processes. Those for Markdown run in pytest: in its working directory, without a limit of time of
  their own and without `await` at the top. In a kernel a cell with `!` that fails is no error, and the loop that makes
  `await` work keeps `asyncio.run` from working.
- †: the page behind was not run, so that nothing is known of it.
- Magics, `!` and `get_ipython` are words of IPython. A tool that runs plain Python, as this one does, is red where it
  meets them, for a plain reason: they are no Python there. They are here for the tools that read notebooks.
"""


def as_page(answers: Sequence[Answer], versions: Mapping[str, str], place: str) -> str:
    """The whole page. `versions` are those of the tools by name, `place` is where they ran."""
    by_name = {(answer.tool, answer.case): answer for answer in answers}
    lines = [HEAD.format(limit=LIMIT, patience=PATIENCE)]
    lines += [f"{place}.", "", "| tool | version | with | false greens | false alarms | runs on |"]
    lines += ["|---|---|---|--:|--:|--:|"]
    lines += [_counts(tool, versions[tool.peer.name], by_name) for tool in TOOLS]
    lines += ["", "What a tool was not made for (○) is not counted.", "", LEGEND]
    lines += ["## Pages that do not hold", "", "Each deserves red.", "", *_table(RED, by_name), ""]
    lines += ["## Pages that hold", "", "Each deserves green.", "", *_table(GREEN, by_name)]
    return "\n".join(lines) + "\n"


def _table(right: str, answers: Mapping[tuple[str, str], Answer]) -> Iterator[str]:
    yield f"| the page | {' | '.join(tool.peer.name for tool in TOOLS)} |"
    yield "|---" * (len(TOOLS) + 1) + "|"
    for case in CASES:
        if case.right == right:
            cells = (_cell(tool, case, answers[tool.peer.name, case.name]) for tool in TOOLS)
            yield f"| [{case.what}](../benchmarks/false_greens/cases/{case.name}.md) | {' | '.join(cells)} |"


def _cell(tool: Tool, case: Case, answer: Answer) -> str:
    cell = answer.verdict
    if answer.verdict != case.right:
        cell = f"{cell} ○" if tool.lacks(case) else f"**{cell}**"
    return cell if answer.ran_the_next or not tool.takes_many else f"{cell} †"


def _counts(tool: Tool, version: str, answers: Mapping[tuple[str, str], Answer]) -> str:
    wrong = [
        (answer.verdict, case.right)
        for case in CASES
        if (answer := answers[tool.peer.name, case.name]).verdict != case.right and not tool.lacks(case)
    ]
    greens, alarms = wrong.count((GREEN, RED)), wrong.count((RED, GREEN))
    beside = ", ".join(word for word in tool.peer.requirements if "==" in word and f"{tool.peer.name}==" not in word)
    return f"| {tool.peer.name} | {version} | {beside} | {greens} | {alarms} | {len(wrong) - greens - alarms} |"
