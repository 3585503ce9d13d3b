"""Records two logs of the small local model for chapter 03: those in notebooks/recordings/local.

    python benchmarks/local_recordings.py FOLDER

`mountaincar`: 60 proposals with the very settings of the recording mountaincar-props.
`mountaincar-free`: the same first prompt, answered five times without a grammar; none of the
answers can be used, so the search ends there.
"""

import sys
from pathlib import Path

from propslib import LinearPolicy, LLMBrain, SearchError, World, chat, search


class Free:
    """The local model, never told for which brain it answers: so no grammar holds it."""

    name = "local"

    def __init__(self):
        self.model = chat("local", seed=0)
        self.options, self.price = self.model.options, self.model.price

    def __call__(self, prompt):
        return self.model(prompt)


def main():
    folder = Path(sys.argv[1])
    with World("MountainCarContinuous-v0") as world:
        policy = LinearPolicy(world)
        for name, model in (
            ("mountaincar", chat("local", seed=0)),
            ("mountaincar-free", Free()),
        ):
            brain = LLMBrain(model, policy, prompt="props", optimum=100)
            try:
                run = search(brain, world, policy, budget=60, log=folder / name)
                print(name, run.best, run.usage)
            except SearchError as error:
                print(name, error)


if __name__ == "__main__":
    main()
