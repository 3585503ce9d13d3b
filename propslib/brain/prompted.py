"""What every brain behind a chat back end does: show a prompt, and read the reply."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from ..policy import Policy
from ..run import Price
from .base import Brain, Proposal
from .chat import Chat
from .reply import ReplyError

PROMPTS = Path(__file__).parent / "prompts"
WHOLE = ("props", "props_plus", "table")  # the others are parts of these


class PromptedBrain(Brain):
    """A brain that asks a chat back end: subclasses say what is shown, and how replies are read.

    chat
        A function from a prompt to a `Reply`, for instance from `chat`.
    prompt
        The name of one of the library's templates, or the path of your own.

    Raises FileNotFoundError for an unknown prompt.
    """

    rows = False  # whether replies are rows of a table

    def __init__(self, chat: Chat, policy: Policy, prompt: str):
        super().__init__(policy)
        self.prompt_name, self.template = prompt, load_template(prompt)
        # Some back ends serve a brain better when they know it: its answer's form, its trials.
        self.chat = chat.for_brain(self) if hasattr(chat, "for_brain") else chat

    def ask(self, refused: Sequence[Proposal] = ()) -> Proposal:
        """Prompt the model once, and read its reply: see `Brain.ask`.

        A reply that cannot be used comes back as a proposal without parameters and with the
        sentence that the next prompt shows the model.
        """
        prompt = self.prompt(refused)
        reply = self.chat(prompt)
        try:
            if reply.problem:
                raise ReplyError(reply.problem)
            return Proposal(self.read(reply.text), prompt=prompt, reply=reply)
        except ReplyError as error:
            return Proposal(None, error=str(error), prompt=prompt, reply=reply)

    @abstractmethod
    def prompt(self, refused: Sequence[Proposal] = ()) -> str:
        """The prompt for the next proposal, as the model will see it."""

    @abstractmethod
    def read(self, text: str) -> np.ndarray:
        """The parameters that a reply proposes, shape (size,).

        Raises ReplyError, with the sentence for whoever replied, where it cannot be used.
        """

    @property
    def price(self) -> Price | None:
        """The price of the model behind the chat back end: see `Brain.price`."""
        return getattr(self.chat, "price", None)

    @property
    def config(self) -> dict[str, Any]:
        """Who is asked, and with which prompt: see `Brain.config`."""
        chat = self.chat
        options = getattr(chat, "options", {})
        return super().config | {
            "chat": getattr(chat, "name", None) or getattr(chat, "__name__", type(chat).__name__),
            **({"options": options} if options else {}),
            "prompt": self.prompt_name,
        }


def load_template(name: str) -> Template:
    """A template of the library by its name, or your own by its path."""
    own = Path(name)
    folders = [own.parent, PROMPTS] if own.suffix else [PROMPTS]
    file = own.name if own.suffix else f"{name}.j2"
    if not any((folder / file).is_file() for folder in folders):
        raise FileNotFoundError(
            f"There is no prompt {name!r}: give one of {WHOLE}, or the path of a Jinja2 template."
        )
    environment = Environment(
        loader=FileSystemLoader(folders),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["fixed"] = lambda number, decimals: f"{number:.{decimals}f}"
    environment.filters["units"] = lambda numbers, decimals: " ".join(
        str(round(number * 10**decimals)) for number in numbers
    )
    return environment.get_template(file)
