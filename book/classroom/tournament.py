"""A tournament, in which players search one task on equal terms, each in a log."""

import re
from dataclasses import dataclass
from pathlib import Path

from propslib.brain import Brain
from propslib.policy import Policy
from propslib.run import Run
from propslib.search import search
from propslib.world import World

# A plot's legend leaves out what begins with _.
NAME = re.compile(r"[^\W_]([\w ,.-]*\w)?")


@dataclass
class Tournament:
    """One task for many players: the same warm-up points, the same budget, a log for each.

    >>> game = Tournament("runs/tournament", world, policy, budget=10)
    >>> game.play("ada", LLMBrain(chat("you"), policy))      # writes runs/tournament/ada.jsonl

    Players on one machine share the folder. Players on several send their logs, and these are
    copied into one folder. Whoever leads the game then judges all of them: `leaderboard` in
    book/classroom/leaderboard.py.

    folder
        Where the logs are kept, as `NAME.jsonl`.
    budget
        How many proposals a player may make, at most.
    warmup, episodes, seed
        As in `search`.
    """

    folder: str | Path
    world: World
    policy: Policy
    budget: int
    warmup: int = 20
    episodes: int = 20
    seed: int = 0

    def __post_init__(self):
        self.folder = Path(self.folder)

    def play(self, name: str, brain: Brain) -> Run:
        """Let this brain search under this name; where its log exists, the search goes on.

        Raises ValueError for a name that cannot be a log's, and what `search` raises.
        """
        check_name(name)
        log = self.folder / f"{name}.jsonl"
        if log.exists():
            print(f"{name} has a log here, which goes on. If it is not yours, take another name.")
        settings = {"warmup": self.warmup, "episodes": self.episodes, "seed": self.seed}
        return search(brain, self.world, self.policy, budget=self.budget, log=log, **settings)


def check_name(name: str) -> None:
    """Raise ValueError for a name that a log and a plot cannot have."""
    if not NAME.fullmatch(name):
        form = "letters, digits, blanks, commas, . - and _, with a letter or digit at both ends"
        raise ValueError(f"The name {name!r} is also the log's: use {form}.")
