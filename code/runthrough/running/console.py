"""A `>>>` session inside a fence, held against the answers it shows."""

from __future__ import annotations

from runthrough.job import Step


def hold_session(step: Step, path: str, namespace: dict[str, object]) -> None:
    """Run a console session by doctest, `...` as a wildcard. Raises `AssertionError` where an answer differs."""
    # Few lessons hold a session, and it takes pdb and unittest along; a warm server has it ready for those that do.
    import doctest

    told: list[str] = []
    parser = doctest.DocTestParser()
    session = parser.get_doctest(step.code, namespace, step.id, path, step.code_line - 1)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    outcome = runner.run(session, out=told.append, clear_globs=False)
    namespace.update(session.globs)
    if outcome.failed:
        raise AssertionError("".join(told).strip())
    print(step.code, end="")
