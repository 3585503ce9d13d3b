"""A person who types into the cells of a notebook."""

import contextlib

from jupyter_client.manager import start_new_kernel


@contextlib.contextmanager
def kernel(**options):
    """A client of a new kernel, which ends with the block."""
    manager, client = start_new_kernel(kernel_name="python3", **options)
    try:
        yield client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def converse(client, code, lines=None):
    """What a cell put out, and the questions asked, where a person types these lines if any."""
    outputs, questions = [], []

    def answer(message):
        questions.append(message["content"]["prompt"])
        client.input(next(lines))

    client.execute_interactive(
        code,
        allow_stdin=lines is not None,
        stdin_hook=answer,
        output_hook=lambda message: outputs.append(message["content"]),
        timeout=120,
    )
    return outputs, questions
