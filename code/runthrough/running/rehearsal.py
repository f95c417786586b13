"""What every worker does first, done in the warm server too, on a fence of our own: its copies then do it faster.

Python fits the instructions of a function to what it meets, from the eighth call on. A worker is a copy that lives for
one lesson, and would learn anew each time, and copy the memory that it writes to.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec

from runthrough.job import Act, Expected, Job, Promise, Shown, Step
from runthrough.running.compiling import compile_fence
from runthrough.running.wire import Observation, Order, Verb, decoder

_TIMES = 10
_CODE = """\
import os
for number in range(3):
    text = str(number).strip()
    if text:
        print(number)  #> 0
assert max(number, len(text)) == 2 and (number + 1) * 2 < 1e6, text
with open(os.devnull) as file:
    (first,) = file.name, *[]
number
"""


def rehearse() -> None:
    """Compile a fence and pass the messages of a lesson, again and again. No fence is run."""
    promise = Promise(expected=(Expected(Shown.PRINT, "0", 6, 6),))
    step = Step("rehearsal", 1, 11, 2, _CODE, Act.RUN, promise=promise)
    orders = (
        Order(Verb.BEGIN, job=Job("", "", "", (step,))),
        Order(Verb.PERFORM),
        replace(Observation(0.0), token="-"),
    )
    for _ in range(_TIMES):
        compile_fence(step, "rehearsal")
        for message in orders:
            decoder(type(message)).decode(msgspec.json.encode(message))  # type: ignore[arg-type]  # classes are hashable
    decoder(Job)
