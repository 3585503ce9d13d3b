"""Two processes that use each other's objects, for marking: the grader's and a student's.

What crosses is data: numbers, texts, lists, arrays, and the library's records (a trial, a reply, a
run), which are built anew from their fields. Nothing is unpickled, as that runs code. Any other
object stays where it is, and the other side gets a `Remote`, whose calls and attributes are
messages.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from propslib import Binned, Bins, Proposal, Reply, Run, Trial

LONGEST = 20_000_000  # bytes of one message
RECORDS = {kind.__name__: kind for kind in (Bins, Proposal, Reply, Trial)}
ERRORS = {error.__name__: error for error in (AttributeError, IndexError, KeyError, TypeError)}


class Remote:
    """An object of the other process."""

    def __init__(self, peer: Peer, number: int):
        self._peer, self._number = peer, number

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self._peer.ask("call", self._number, [list(args), options])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._peer.ask("attribute", self._number, name)

    def __getitem__(self, key: Any) -> Any:
        return self._peer.ask("item", self._number, key)

    def __len__(self) -> int:
        return int(self._peer.ask("length", self._number, None))


class Peer:
    """One end of the line.

    names
        The names that both sides know since before the line was drawn; a library's object among
        them is handed over by its name.
    services
        What the other side may ask for, besides calling a function that was handed to it.
    """

    def __init__(
        self,
        line: Connection,
        names: Mapping[str, Any],
        services: Mapping[str, Callable[[Any, Any], Any]] = {},
    ):
        self.line, self.names, self.services = line, names, services
        self._handed_over: list[Any] = []

    def ask(self, what: str, number: int | None, detail: Any) -> Any:
        """Have the other side do something. What it raises there is raised here."""
        self._send({"do": what, "number": number, "with": self._pack(detail)})
        while "do" in (message := self._receive()):
            self._answer(message)
        if "error" in message:
            raise ERRORS.get(message["error"], ValueError)(str(message.get("text"))[:500])
        return self._unpack(message["gives"])

    def serve(self) -> None:
        """Do what the other side asks for, until it ends the line."""
        while True:
            try:
                message = self._receive()
            except (EOFError, OSError):
                return
            self._answer(message)

    def _answer(self, message: dict[str, Any]) -> None:
        try:
            what, detail = message["do"], self._unpack(message["with"])
            target = None if message["number"] is None else self._handed_over[message["number"]]
            if what == "call":
                result = target(*detail[0], **detail[1])
            else:
                result = self.services[what](target, detail)
            # The grader hands its own objects over only as arguments.
            answer = {"gives": self._pack(result, hand_over=bool(self.services))}
        except Exception as error:  # noqa: BLE001 - a student's code may raise anything
            answer = {"error": type(error).__name__, "text": str(error)}
        self._send(answer)

    def _send(self, message: dict[str, Any]) -> None:
        self.line.send_bytes(json.dumps(message).encode())

    def _receive(self) -> dict[str, Any]:
        message = json.loads(self.line.recv_bytes(LONGEST))
        if not isinstance(message, dict):
            raise ValueError("This is no message.")
        return message

    def _pack(self, value: Any, hand_over: bool = True) -> Any:
        """A value as JSON: what JSON has as it is, and a list [kind, content] for all else."""
        if value is None or type(value) in (bool, int, float, str):
            return value
        if value is ...:
            return ["dots", None]
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufU":
            data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
            return ["array", [value.dtype.str, list(value.shape), data]]
        if isinstance(value, np.ndarray):
            return self._pack(value.tolist(), hand_over)
        if isinstance(value, (list, tuple, set, range)):
            kind = next(k for k in (list, tuple, set, range) if isinstance(value, k))
            kind = list if kind is range else kind
            return [kind.__name__, [self._pack(entry, hand_over) for entry in value]]
        if isinstance(value, dict):
            return ["dict", [[self._pack(k), self._pack(v)] for k, v in value.items()]]
        if isinstance(value, Run):
            return ["Run", json.loads(json.dumps([value.header, value.events]))]
        if isinstance(value, Binned):
            parts = (value.observations, value.actions, value.action_words)
            return ["Binned", [self._pack(part) for part in parts]]
        if type(value).__name__ in RECORDS and dataclasses.is_dataclass(value):
            fields = dataclasses.fields(value)
            return [
                type(value).__name__,
                {f.name: self._pack(getattr(value, f.name)) for f in fields},
            ]
        if isinstance(value, Remote):
            return ["yours", value._number]
        for name, known in self.names.items():
            if known is value:
                return ["name", name]
        if not hand_over:
            raise TypeError(f"A {type(value).__name__} is not handed over.")
        self._handed_over.append(value)
        return ["mine", len(self._handed_over) - 1]

    def _unpack(self, data: Any) -> Any:
        """The value of what `_pack` made at the other end. Raises ValueError for anything else."""
        if not isinstance(data, list):
            return data
        kind, content = data
        if kind == "dots":
            return ...
        if kind == "array":
            dtype, shape, text = content
            if np.dtype(dtype).kind not in "biufU":
                raise ValueError(f"No array of {dtype} may cross.")
            return np.frombuffer(base64.b64decode(text), dtype).reshape(shape).copy()[()]
        if kind in ("list", "tuple", "set"):
            entries = [self._unpack(entry) for entry in content]
            return {"list": list, "tuple": tuple, "set": set}[kind](entries)
        if kind == "dict":
            return {self._unpack(key): self._unpack(entry) for key, entry in content}
        if kind == "Run":
            run = Run(content[0])
            for event in content[1]:
                run.append(event)
            return run
        if kind == "Binned":
            observations, actions, words = map(self._unpack, content)
            return Binned(observations, actions=actions, action_words=() if actions else words)
        if kind in RECORDS:
            return RECORDS[kind](**{name: self._unpack(part) for name, part in content.items()})
        if kind == "name":
            return self.names[content]
        if kind == "yours":
            return self._handed_over[content]
        if kind == "mine":
            return Remote(self, content)
        raise ValueError(f"Nothing of the kind {kind!r} crosses.")


# What a student's process does for the grader's. The grader's does nothing for it but call the
# functions that it handed over.
STUDENTS = {
    "attribute": lambda target, name: getattr(target, name),
    "item": lambda target, key: target[key],
    "length": lambda target, _: len(target),
}
