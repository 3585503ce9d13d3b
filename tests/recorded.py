"""The searches of the recordings, set up again from their headers."""

from propslib import (
    CARTPOLE,
    Disguised,
    LinearPolicy,
    LLMBrain,
    Run,
    TableBrain,
    TablePolicy,
    World,
    chat,
)
from propslib.brain import find_recording

FOLDER = find_recording("mountaincar-props").parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def load(name):
    return Run.load(find_recording(name))


def world_of(config):
    wrap = CARTPOLE if "bins" in config else None
    world = World(config["env_id"], wrap=wrap, **config.get("env_options", {}))
    if "disguise" in config:
        return Disguised(world, policy_of(config, world), **config["disguise"])
    return world


def policy_of(config, world):
    if config["policy"] == "table":
        return TablePolicy(world)
    return LinearPolicy(
        world,
        low=config["low"],
        high=config["high"],
        decimals=config["decimals"],
        spread=config["warmup_std"],
    )


def brain_of(name, config, policy, world):
    """The brain that replays a recording; its world is looked at by tables only."""
    model = chat(f"recorded:{name}")
    if config["prompt"] == "table":
        return TableBrain(
            model,
            policy,
            world,
            description=config["description"],
            credit={"return": "return", "steps": "to_go"}[config["credit"]],  # a step earns 1
            credit_name=config["credit_name"],
            confirm=False,
        )
    return LLMBrain(
        model,
        policy,
        prompt=config["prompt"],
        optimum=config.get("optimum"),
        description=config.get("description"),
        step_size=config.get("step_size", 1.0),
        missing=0.0 if config.get("sparse") else None,
    )
