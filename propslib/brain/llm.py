"""A language model as the optimiser: history in, text out, parameters read from the reply."""

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, TemplateNotFound

from ..policy import Policy
from ..settings import number
from .base import Brain, Proposal, Reply, best_and_last
from .chat import Chat
from .reply import ReplyError, read_params

PROMPTS = Path(__file__).parent / "prompts"


class PromptedBrain(Brain):
    """A brain that asks a chat back end: subclasses say what is shown, and how replies are read.

    chat
        A function from a prompt to a text or a `Reply`, for instance from `chat`. One that has a
        method `bind` is asked, by that, for a function that serves this brain.
    prompt
        The name of one of the library's templates, or the path of your own.

    Raises FileNotFoundError for an unknown prompt, TypeError for a chat that is no function.
    """

    rows = False  # whether replies are rows of a table

    def __init__(self, chat: Chat, policy: Policy, prompt: str):
        super().__init__(policy)
        if not callable(chat):
            raise TypeError(f"chat is {chat!r}; give a function of a text, as chat({chat!r}) is.")
        self._given = chat
        self.prompt_name, self.template = prompt, load_template(prompt)

    @cached_property
    def chat(self) -> Chat:
        """The back end, made for this brain where it serves one better that it knows."""
        return self._given.bind(self) if hasattr(self._given, "bind") else self._given

    def _forget(self) -> None:
        super()._forget()
        self.__dict__.pop("chat", None)  # that serves the brain that this one is a copy of

    def ask(self, refused: Sequence[Proposal] = ()) -> Proposal:
        """Prompt the model once, and read its reply: see `Brain.ask`.

        A reply that cannot be used comes back as a proposal without parameters and with the
        sentence that the next prompt shows the model. Raises TypeError for a chat back end that
        answers neither a text nor a `Reply`.
        """
        prompt = self.prompt(refused)
        answer = self.chat(prompt)
        reply = answer if isinstance(answer, Reply) else Reply(answer)
        if not all(isinstance(text, str) for text in (reply.text, reply.model, reply.problem)):
            raise TypeError(f"A chat answers a text, or a Reply of texts, not {answer!r:.80}")
        try:
            if reply.problem:
                raise ReplyError(reply.problem)
            return Proposal(self.read(reply.text), prompt=prompt, reply=reply)
        except ReplyError as error:
            # Half a character, which a reply may hold, cannot be printed.
            sentence = str(error).encode("utf-8", "replace").decode()
            return Proposal(None, sentence, prompt, reply)

    @abstractmethod
    def read(self, text: str) -> np.ndarray:
        """The parameters that a reply proposes, shape (size,).

        Raises ReplyError, with the sentence for whoever replied, where it cannot be used.
        """

    @property
    def config(self) -> dict[str, Any]:
        """Who is asked, and with which prompt: see `Brain.config`."""
        kind = getattr(self.chat, "__name__", type(self.chat).__name__)
        config = {"chat": getattr(self.chat, "name", kind), "prompt": self.prompt_name}
        options = getattr(self.chat, "options", None)
        return super().config | config | ({"options": options} if options else {})


class LLMBrain(PromptedBrain):
    """Prompted Policy Search: a language model sees the trials as text and proposes the next.

    >>> name = "recorded:mountaincar-props"
    >>> model = chat(name)
    >>> brain = LLMBrain(
    ...     model, policy, optimum=100
    ... )

    chat
        A function from a prompt to a text or a `Reply`, for instance from `chat`.
    prompt
        `"props"` (numbers only; Zhou et al. 2025), `"props_plus"` (numbers and a description of
        the task), or the path of your own Jinja2 template.
    optimum
        The highest value, as told to the model; None tells it nothing.
    description
        What the task is, in words; for `"props_plus"`.
    step_size
        The step that the prompt suggests while exploring.
    history
        The trials that the prompt shows: None for all, :math:`n` for the last :math:`n`, `(b, n)`
        for the best :math:`b` and the last :math:`n`.
    compact
        Show the trials as rows of numbers under one line that names the columns, at a third of the
        tokens or less.
    repeats
        Whether a point that was tried before may be proposed again.
    missing
        The value of parameters that a reply leaves out, on the grid; None refuses such a reply.

    Raises FileNotFoundError for an unknown prompt, ValueError for settings that cannot work.
    """

    SHOWN = ("optimum", "description", "step_size", "compact")
    SETTINGS = (*SHOWN, "history", "repeats", "missing")

    def __init__(
        self,
        chat: Chat,
        policy: Policy,
        *,
        prompt: str = "props",
        optimum: float | None = None,
        description: str | None = None,
        step_size: float = 1.0,
        history: int | tuple[int, int] | None = None,
        compact: bool = False,
        repeats: bool = False,
        missing: float | None = None,
    ):
        if prompt == "props_plus" and not description:
            raise ValueError("The prompt 'props_plus' describes the task: give a description.")
        super().__init__(chat, policy, prompt)
        self.optimum = None if optimum is None else number("optimum", optimum)
        self.step_size = number("step_size", step_size)
        self.description, self.compact, self.repeats = description, compact, repeats
        shown = history if isinstance(history, tuple | list | None) else (0, history)
        self.history = shown and [number("history", n, least=0, whole=True) for n in shown]
        box = {"least": policy.low, "most": policy.high, "decimals": policy.decimals}
        self.missing = None if missing is None else number("missing", missing, **box)

    def prompt(self, refused: Sequence[Proposal] = ()) -> str:
        """The prompt for the next proposal: as the model will see it."""
        kinds = zip(self.history or (), ("best", "latest"), strict=False)
        chosen = [f"the {f'{n} ' if n > 1 else ''}{kind}" for n, kind in kinds if n]
        names = ("budget", "episodes", *self.SHOWN)
        return self.template.render(
            **_grid(self.policy) | {name: getattr(self, name) for name in names},
            iteration=len(self.proposals) + 1,
            shown=best_and_last(self.trials, *self.history) if self.history else self.trials,
            tried=len(self.trials),
            choice=" and ".join(chosen) or "none",
            refused=refused,
        ).strip()

    def read(self, text: str) -> np.ndarray:
        """The parameters that a reply proposes: see `PromptedBrain.read`.

        A point that was tried before is refused too, unless `repeats` allows it.
        """
        params = read_params(text, **_grid(self.policy), missing=self.missing)
        before = [trial.value for trial in self.trials if (trial.params == params).all()]
        if before and not self.repeats:
            why = f"That point was evaluated before, with f(params) = {before[0]:.2f}."
            raise ReplyError(f"{why} Propose one that is not in the list.")
        return params


def _grid(policy: Policy) -> dict[str, Any]:
    return {name: getattr(policy, name) for name in ("size", "low", "high", "decimals")}


def load_template(name: str) -> Template:
    """A template of the library by its name, or your own by its path."""
    own = Path(name)
    folders = [own.parent, PROMPTS] if own.suffix else [PROMPTS]
    blocks = {"trim_blocks": True, "lstrip_blocks": True, "keep_trailing_newline": True}
    environment = Environment(loader=FileSystemLoader(folders), undefined=StrictUndefined, **blocks)
    environment.filters["fixed"] = lambda number, decimals: f"{number:.{decimals}f}"
    environment.filters["units"] = lambda xs, n: " ".join(str(round(x * 10**n)) for x in xs)
    try:
        return environment.get_template(own.name if own.suffix else f"{name}.j2")
    except TemplateNotFound as error:
        known = "give 'props', 'props_plus', 'table', or the path of a Jinja2 template."
        raise FileNotFoundError(f"There is no prompt {name!r}: {known}") from error
