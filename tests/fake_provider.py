"""A provider on the loopback address that speaks OpenAI's and Gemini's formats, with a script.

Each request takes the script's next step; after the last all succeed. The server keeps them in
`requests`, so that a client killed with SIGKILL has still left its traces.
"""

import json
import os
import re
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any

OPENAI_PATH = re.compile(r"/v1/chat/completions(\?|$)")
GEMINI_PATH = re.compile(r"/v1(?:beta|alpha)?/models/(?P<model>[^/:]+):generateContent(\?|$)")
# How an answer ends, in OpenAI's words and in Gemini's: by itself, or at the limit of tokens.
STOP, LENGTH = ("stop", "STOP"), ("length", "MAX_TOKENS")
# The tokens that every success reports: of `prompt`, `cached` were kept from before.
USAGE = {"prompt": 100, "cached": 60, "text": 20, "reasoning": 5}


@dataclass
class Request:
    """One request as it arrived; its step; and whether an answer went out whole."""

    path: str
    headers: dict[str, str]  # names in lower case
    body: Any
    step: str = ""
    sent: bool = False

    @property
    def wire(self):
        return "gemini" if GEMINI_PATH.search(self.path) else "openai"

    @property
    def model(self):
        found = GEMINI_PATH.search(self.path)
        return found["model"] if found else self.body["model"]

    @property
    def prompt(self):
        if self.wire == "openai":
            return self.body["messages"][-1]["content"]
        return "".join(part["text"] for part in self.body["contents"][-1]["parts"])

    @property
    def credentials(self):
        """Every header that can carry a key, as `name: value`, and the query."""
        names = ("authorization", "x-goog-api-key", "api-key")
        found = [f"{name}: {self.headers[name]}" for name in names if name in self.headers]
        return ", ".join([*found, *re.findall(r"\?(.+)", self.path)])


@dataclass(frozen=True)
class Step:
    """What the server does with one request: a name, and a function of its handler."""

    name: str
    play: Callable = field(repr=False)


def success(text=None):
    """An answer: this text, or the one that `grid_point` makes of the prompt."""
    return Step("success", lambda handler: handler.answer(handler.text() if text is None else text))


def status(code, *, message=None, code_word=None, details=None, **headers):
    """An error with OpenAI's code word or Gemini's details; headers have `_` for `-`."""
    headers = {name.replace("_", "-"): str(value) for name, value in headers.items()}
    answer = (code, headers, [details or {}], message, code_word)
    return Step(f"status {code}", lambda handler: handler.error(*answer))


def sending(name, body, code=200, **headers):
    """This status and body, whether or not they were promised."""
    return Step(name, lambda handler: handler.send(code, body, headers))


def answering(name, text=None, **form):
    """A 200 of this form, which perhaps cannot be used."""
    return Step(name, lambda handler: handler.answer(text, **form))


# No answer until the server stops.
HANG = Step("hang", lambda handler: handler.server.provider.stopping.wait())
# Faults that a client should try again after, all of them quick.
PASSING = (
    *(status(code) for code in (408, 409, 429, 500, 502, 503, 504, 529)),
    Step("error in body", lambda handler: handler.error(502, {}, [], None, 502, sent=200)),
)
BROKEN = (  # after the request was sent: an answer may be paid for all the same
    Step("reset", lambda handler: handler.reset()),
    sending("html", "<html><h1>Please sign in</h1></html>", **{"Content-Type": "text/html"}),
    Step("reset in body", lambda handler: handler.half(chunked=False, reset=True)),
    Step("truncated", lambda handler: handler.half(chunked=True, reset=False)),
    Step("bad json", lambda handler: handler.send(200, handler.body(handler.text())[:-20] + b"}")),
)
LINE = "params[0]: 1.0, params[1]: 1.0, params[2]: 0.1"
UNUSABLE = (  # answers that cannot be used, although they came with a 200
    *(answering("none"), answering("empty", ""), answering("cut", LINE, finish=LENGTH)),
    answering("filtered", finish=("content_filter", "SAFETY")),
    answering("refused", refusal="I cannot help.", blocked="PROHIBITED_CONTENT"),
    *(answering("only reasoning", reasoning="Hm. " * 9), answering("no choice", choices=[])),
)


def grid_point(prompt):
    """A point of its own for each iteration up to 1,000, and a reason; of a table, one row."""
    found = re.findall(r"iteration (\d+)", prompt)
    iteration = int(found[-1]) if found else 0
    if "as: state | action" in prompt:
        return f"Reason {iteration}.\n{iteration % 16} | {iteration % 2}"
    tens, ones = divmod(iteration, 10)
    numbers = [ones - 4.5, (tens % 100 - 50) / 10, 0.1]
    asked = re.search(r"params is a list of (\d+) numbers", prompt)
    numbers += [0.0] * (int(asked[1]) - 3 if asked else 0)
    point = ", ".join(f"params[{i}]: {number:.1f}" for i, number in enumerate(numbers))
    return f"{point}\nReason {iteration}."


class FakeProvider:
    """The server; `echo` repeats the credentials of a request wherever an answer has words."""

    def __init__(self, script=(), *, echo=False, **usage):
        self.script, self.echo, self.usage = iter(script), echo, USAGE | usage
        self.requests, self.lock, self.stopping = [], threading.Lock(), threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.provider = self
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *error):
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def base_url(self, wire):
        """What this wire's SDK calls the base URL."""
        return f"{self.url}/v1" if wire == "openai" else self.url

    @property
    def successes(self):
        """The requests whose answer could be used and went out whole: what was paid for."""
        return [request for request in self.requests if request.step == "success" and request.sent]

    @property
    def steps(self):
        return [request.step for request in self.requests]

    def wait_for(self, condition, seconds=60):
        """Return as soon as the condition holds. Raises TimeoutError."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"Not within {seconds} s; the steps were {self.steps}.")
            time.sleep(0.005)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # many short connections may wait at once

    def server_bind(self):
        TCPServer.server_bind(self)  # without a look-up of this machine's name
        self.server_name, self.server_port = self.server_address[:2]

    def handle_error(self, request, client_address):
        pass  # clients that hang up, or are killed, are what these tests are about


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Without it, Nagle's algorithm holds a small body back for 40 ms.
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_POST(self):
        provider = self.server.provider
        data = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.request_ = Request(self.path, headers, json.loads(data))
        known = GEMINI_PATH.search(self.path) or OPENAI_PATH.search(self.path)
        with provider.lock:
            step = next(provider.script, success()) if known else status(404)
            self.request_.step = step.name
            provider.requests.append(self.request_)
        step.play(self)

    def text(self):
        return grid_point(self.request_.prompt)

    def echo(self, text):
        keys = self.request_.credentials
        return f"{text} (your request had {keys})" if self.server.provider.echo else text

    def send(self, code, body, headers=()):
        body = body.encode() if isinstance(body, str) else body
        headers = {"Content-Type": "application/json", "Content-Length": len(body)} | dict(headers)
        self.begin(code, headers)
        # Before the client can know of it; it goes into the system's buffer at once or not at all.
        self.request_.sent = True
        try:
            self.wfile.write(body)
        except OSError:
            self.request_.sent = False
            raise

    def begin(self, code, headers):
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()

    def error(self, code, headers, details, message, word, sent=None):
        message = self.echo(message or f"This is the provider's message for {code}.")
        if self.request_.wire == "gemini":
            error = {"code": code, "message": message, "status": "STATE", "details": details}
        else:
            error = {"message": message, "type": f"kind_{code}", "param": None, "code": word}
        self.send(sent or code, json.dumps({"error": error}), headers)

    def answer(self, text, **form):
        self.send(200, self.body(text, **form))

    def body(self, text, **form):
        text = self.echo(text) if text else text
        make = _chat_completion if self.request_.wire == "openai" else _generate_content
        model = self.echo(f"{self.request_.model}-as-served")
        return json.dumps(make(model, self.server.provider.usage, text, **form)).encode()

    def half(self, *, chunked, reset):
        body = self.body(self.text())
        length = {"Transfer-Encoding": "chunked"} if chunked else {"Content-Length": len(body)}
        self.begin(200, {"Content-Type": "application/json"} | length)
        self.wfile.write(b"%x\r\n" % len(body) if chunked else b"")
        self.wfile.write(body[: len(body) // 2])
        self.close_connection = True
        if reset:
            time.sleep(0.01)  # so that the half arrives before the reset
            self.reset()

    def reset(self):
        # No lingering: closing sends RST. Without detach, shutdown would send FIN before.
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        os.close(self.connection.detach())
        self.close_connection = True


def _chat_completion(
    model, usage, text, *, choices=None, finish=STOP, reasoning=None, refusal=None, **_
):
    message = {"role": "assistant", "content": text, "refusal": refusal, "annotations": []}
    message |= {"reasoning_content": reasoning} if reasoning else {}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish[0]}
    said, thought = usage["text"], usage["reasoning"]
    written = said + thought if type(said) is int else said
    used = {"prompt_tokens": usage["prompt"], "completion_tokens": written, "total_tokens": 125}
    used |= {"prompt_tokens_details": {"cached_tokens": usage["cached"], "audio_tokens": 0}}
    used |= {"completion_tokens_details": {"reasoning_tokens": thought}}
    body = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1_767_225_600}
    return body | {"model": model, "usage": used, "choices": [choice] if choices is None else []}


def _generate_content(
    model, usage, text, *, choices=None, finish=STOP, reasoning=None, blocked=None, **_
):
    parts = [{"text": reasoning, "thought": True}] if reasoning else []
    parts += [] if text is None else [{"text": text}]
    candidate = {"finishReason": finish[1], "index": 0}
    if parts or finish is STOP:  # a filtered candidate has no content
        candidate["content"] = {"role": "model"} | ({"parts": parts} if parts else {})
    used = {"promptTokenCount": usage["prompt"], "candidatesTokenCount": usage["text"]}
    used |= {"cachedContentTokenCount": usage["cached"], "thoughtsTokenCount": usage["reasoning"]}
    body = {"usageMetadata": used, "modelVersion": model, "responseId": "response-1"}
    if blocked:
        return body | {"promptFeedback": {"blockReason": blocked}}
    return body | {"candidates": [candidate] if choices is None else []}
