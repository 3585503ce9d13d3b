"""`you`: a person answers instead of a model, in a notebook or in a terminal."""

from __future__ import annotations

import html
import re
import sys
import time
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from ...utils.table import Table
from ..base import Reply, StopSearch, best_and_last
from ..cost import find_price
from ..reply import ReplyError
from .retry import ChatError

if TYPE_CHECKING:
    from ..prompted import PromptedBrain

BEST, LAST = 5, 10  # trials that the table shows
_NUMBERS = re.compile(
    r"(?:[-+−]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?(?:\s+|$)){2,}", re.IGNORECASE
)
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

    def __init__(self, name: str = "you", model: str = ""):
        self.name, self.model = name, model or "a person"
        self.options: dict[str, Any] = {}
        self.price = find_price(name)
        self._brain: PromptedBrain | None = None
        self._seen = 0  # trials of which the person was told
        self._display = None  # where the notebook shows the table

    def for_brain(self, brain: PromptedBrain) -> You:
        """A person who answers for this brain: sees its trials, and is told of typing errors."""
        bound = You(self.name)
        bound._brain = brain
        return bound

    def __call__(self, prompt: str) -> Reply:
        start = time.perf_counter()
        with tqdm.external_write_mode():  # a progress bar makes room for the conversation
            if self._brain:
                self._show_news(prompt)
            else:
                print(prompt)
            text = self._answer(prompt)
        seconds = round(time.perf_counter() - start, 3)
        return Reply(text, model=self.model, seconds=seconds, usd=0.0)

    def _answer(self, prompt: str) -> str:
        question = "Your reply (or help): "
        if self._brain:
            count = f"{len(self._brain.proposals) + 1} of {self._brain.budget}"
            question = f"Proposal {count}, {self._form} (or help): "
        while True:
            line = _typed(question)
            match line.lower():
                case "stop" | "quit" | "exit":
                    raise StopSearch("The person who answers asked to stop.")
                case "help" | "?":
                    print(_HELP.format(self._form))
                case "prompt":
                    print(prompt)
                case "table" if self._brain:
                    print(*self._history(), sep="\n")
                case _ if self._brain is None:
                    return line
                case _:
                    text = _as_reply(line, rows=self._brain.rows)
                    try:
                        self._brain.read(text)
                    except ReplyError as error:
                        print(error)
                    else:
                        return text

    @property
    def _form(self) -> str:
        """What an answer consists of."""
        if self._brain is None:
            return "what you would reply"
        policy = self._brain.policy
        what = "rows state | action, actions" if self._brain.rows else f"{policy.size} numbers"
        return f"{what} from {policy.low:g} to {policy.high:g}"

    def _show_news(self, prompt: str) -> None:
        """What the last answer earned, and the table: in a notebook always, else at the start."""
        trials = self._brain.trials
        for trial in trials[self._seen :] if self._seen else []:
            best = ", the best so far" if trial is self._brain.best else ""
            print(f"It earned {trial.value:.2f}{best}.")
        if _in_notebook():
            self._show_table(prompt)
        elif not self._seen:
            print(*self._history(), sep="\n")
        self._seen = len(trials)

    def _show_table(self, prompt: str) -> None:
        """The notebook's one table, moved down to where the person types; the prompt, folded."""
        from IPython.display import display

        caption, table = self._history()
        page = (
            "<details><summary>What a model would be asked</summary>"
            '<pre style="white-space: pre-wrap; word-break: normal">'
            f"{html.escape(prompt)}</pre></details><p>{caption}</p>{table._repr_html_()}"
        )
        if self._display:
            self._display.update({"text/html": "", "text/plain": ""}, raw=True)
        shown = {"text/html": page, "text/plain": f"{caption}\n{table}"}
        self._display = display(shown, raw=True, display_id=True)

    def _history(self) -> tuple[str, Table]:
        """The trials as a table, shortened where there are many, and its caption."""
        brain, decimals = self._brain, self._brain.policy.decimals
        rows = []
        for trial in best_and_last(brain.trials, BEST, LAST):
            name = "warm-up" if trial.warmup else trial.iteration
            params = ", ".join(f"{number:.{decimals}f}" for number in trial.params)
            best = "best" if trial is brain.best else ""
            rows.append(
                (name, shorten(params, 120, placeholder=" ..."), f"{trial.value:.2f}", best)
            )
        which = f"the {BEST} best and the {LAST} latest" if len(rows) < len(brain.trials) else "all"
        caption = f"Trials so far, {which} of {len(brain.trials)}, newest last:"
        return caption, Table(rows, ("proposal", "parameters", "value", ""))


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
    elif _NUMBERS.fullmatch(answer):
        answer = ", ".join(answer.split())
    return f"{answer}\n{reason}" if reason else answer


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")  # a notebook has imported it
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")
