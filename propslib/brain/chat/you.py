"""Optional: `you`, a person who answers instead of a model, in a notebook or in a terminal."""

import time

from tqdm import tqdm

from ..base import Reply, StopSearch, best_and_last
from ..llm import load_template
from ..reply import ReplyError
from . import BoundChat, ChatError

BEST, LAST = 5, 10  # trials that the table shows


class You(BoundChat):
    """The back end `you`: a person reads the trials as a table, and types the next proposal.

    It is typed in any form that `read_params` reads, or as plain numbers with blanks between
    them; rows of a table are separated by `;`. What follows a `#` is the reason. An answer that
    cannot be used is refused on the spot, with the sentence that a model would get, and costs none
    of the search's attempts. Who types `prompt` sees what a model would be asked. The reply is what
    was typed: commas for the blanks, the reason on a line of its own, so that a log of such a
    search is read like any other.

    Without a brain, as in `chat("you")("Hello")`, it shows the text and answers what was typed.

    Calling it raises StopSearch where the person types `stop` or ends the input, and ChatError
    in a notebook that is run without anyone to ask.
    """

    def __init__(self, name: str, model: str):
        self.name, self.model = name, model or "a person"

    def __call__(self, prompt: str) -> Reply:
        """What the person types: see `You`."""
        start = time.perf_counter()
        with tqdm.external_write_mode():  # a progress bar makes room for the conversation
            print(self._table() if self._brain else prompt)
            text = self._answer(prompt) if self._brain else _typed("Your reply: ")
        return Reply(text, self.model, seconds=round(time.perf_counter() - start, 3), usd=0.0)

    def _answer(self, prompt: str) -> str:
        brain, policy = self._brain, self._brain.policy
        form = "rows state | action; ..., actions" if brain.rows else f"{policy.size} numbers"
        form += f" from {policy.low:g} to {policy.high:g}"
        number = f"Proposal {len(brain.proposals) + 1} of {brain.budget}"
        while True:
            line = _typed(f"{number}, {form}, or prompt, or stop: ")
            if line.lower() == "stop":
                raise StopSearch("The person who answers asked to stop.")
            if line.lower() == "prompt":
                print(prompt)
                continue
            text = _as_reply(line, rows=brain.rows)
            try:
                brain.read(text)
                return text
            except ReplyError as error:
                print(error)

    def _table(self) -> str:
        """The trials, shortened where there are many."""
        brain, most = self._brain, {"most_best": BEST, "most_last": LAST}
        most |= {"told": len(brain.trials), "decimals": brain.policy.decimals, "best": brain.best}
        trials = best_and_last(brain.trials, BEST, LAST)
        return load_template("you").render(trials=trials, **most).strip()


def _typed(question: str) -> str:
    try:
        return input(question).strip()
    except EOFError:
        raise StopSearch("The input has ended, so nobody can answer.") from None
    except NotImplementedError:  # a kernel's, where its front end can ask nobody
        who = "The back end 'you' needs a person who types: run this notebook in JupyterLab"
        raise ChatError(f"{who}, or name a recorded run: recorded:NAME.") from None


def _as_reply(line: str, *, rows: bool) -> str:
    """The typed line in the form in which a model replies: the answer, then a line of reason.

    >>> _as_reply("0 6 .1  # push on", rows=False)
    '0, 6, .1\\npush on'
    """
    answer, _, reason = (part.strip() for part in line.partition("#"))
    if rows:
        answer = "\n".join(row.strip() for row in answer.split(";"))
    elif not set(answer) & set(",:=["):
        answer = ", ".join(answer.split())
    return f"{answer}\n{reason}" if reason else answer
