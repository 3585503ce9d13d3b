"""Optional: `you`, a person who answers instead of a model, in a notebook or in a terminal."""

from __future__ import annotations

import copy
import time
from textwrap import shorten

from tqdm import tqdm

from ...run import Trial
from ...usage import Price
from ..base import Reply, StopSearch, best_and_last
from ..llm import PromptedBrain
from ..reply import ReplyError
from . import ChatError

BEST, LAST = 5, 10  # trials that the table shows
_HELP = """\
Your answer is one line: {}.
Blanks or commas go between numbers, ; between rows. After a # you may say why.
  prompt  what a model would be asked
  table   what was tried so far
  stop    end the search here; where it keeps a log, the same call goes on from here
  help    this"""


class You:
    """The back end `you`: a person reads the trials as a table, and types the next proposal.

    It is typed in any form that `read_params` reads, or as plain numbers with blanks between
    them; rows of a table are separated by `;`. What follows a `#` is the reason. An answer that
    cannot be used is refused on the spot, with the sentence that a model would get, and costs none
    of the search's attempts. The reply is what was typed: commas for the blanks, the reason on a
    line of its own, so that a log of such a search is read like any other.

    Without a brain, as in `chat("you")("Hello")`, it shows the text and answers what was typed.

    Calling it raises StopSearch where the person types `stop` or ends the input, and ChatError
    in a notebook that is run without anyone to ask.
    """

    price = Price(0.0, 0.0)
    _brain: PromptedBrain | None = None
    _seen = 0  # trials of which the person was told

    def __init__(self, name: str = "you", model: str = ""):
        self.name, self.model = name, model or "a person"

    def bind(self, brain: PromptedBrain) -> You:
        """A person who answers for this brain: sees its trials, and is told of typing errors."""
        bound = copy.copy(self)
        bound._brain, bound._seen = brain, 0
        return bound

    def __call__(self, prompt: str) -> Reply:
        """What the person types: see `You`."""
        start = time.perf_counter()
        with tqdm.external_write_mode():  # a progress bar makes room for the conversation
            print(self._news() if self._brain else prompt)
            text = self._answer(prompt)
        return Reply(text, self.model, seconds=round(time.perf_counter() - start, 3), usd=0.0)

    def _answer(self, prompt: str) -> str:
        brain, form = self._brain, self._form()
        where = f"Proposal {len(brain.proposals) + 1} of {brain.budget}, {form}" if brain else form
        shown = {"prompt": lambda: prompt, "table": self._table, "help": lambda: _HELP.format(form)}
        shown["?"] = shown["help"]
        while True:
            line = _typed(f"{where} (or help): ")
            if line.lower() in ("stop", "quit", "exit"):
                raise StopSearch("The person who answers asked to stop.")
            if line.lower() in shown and (brain or line.lower() != "table"):
                print(shown[line.lower()]())
                continue
            text = _as_reply(line, rows=brain.rows) if brain else line
            try:
                if brain:
                    brain.read(text)
            except ReplyError as error:
                print(error)
            else:
                return text

    def _form(self) -> str:
        """What an answer consists of."""
        if self._brain is None:
            return "Your reply"
        policy, rows = self._brain.policy, self._brain.rows
        what = "rows state | action, actions" if rows else f"{policy.size} numbers"
        return f"{what} from {policy.low:g} to {policy.high:g}"

    def _news(self) -> str:
        """The table at the start; later what the last answers earned."""
        brain, seen = self._brain, self._seen
        self._seen = len(brain.trials)
        news = [f"It earned {t.value:.2f}{_best(t, brain)}." for t in brain.trials[seen:]]
        return "\n".join(news) if seen else self._table()

    def _table(self) -> str:
        """The trials, shortened where there are many."""
        brain, decimals = self._brain, self._brain.policy.decimals
        trials = best_and_last(brain.trials, BEST, LAST)
        few = len(trials) < len(brain.trials)
        which = f"the {BEST} best and the {LAST} latest" if few else "all"
        lines = [f"Trials so far, {which} of {len(brain.trials)}, newest last:"]
        lines.append("proposal       value  parameters")
        for trial in trials:
            params = ", ".join(f"{number:.{decimals}f}" for number in trial.params)
            params = shorten(params, 120, placeholder=" ...")
            name = "warm-up" if trial.warmup else trial.iteration
            lines.append(f"{name:>8}  {trial.value:>10.2f}  {params}{_best(trial, brain)}")
        return "\n".join(lines)


def _best(trial: Trial, brain: PromptedBrain) -> str:
    return ", the best so far" if trial is brain.best else ""


def _typed(question: str) -> str:
    try:
        return input(question).strip()
    except EOFError:
        raise StopSearch("The input has ended, so nobody can answer.") from None
    except NotImplementedError:  # a kernel's, where its front end can ask nobody
        raise ChatError(
            "The back end 'you' needs a person who types, and this notebook is run without one. "
            "Run the cell in JupyterLab or in a terminal, or name a recorded run: recorded:NAME."
        ) from None


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
