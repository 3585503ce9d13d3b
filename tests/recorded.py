"""The searches of the recordings, set up again from their headers."""

from propslib import CARTPOLE, Disguised, LinearPolicy, Run, TablePolicy, World
from propslib.brain import LLMBrain, TableBrain, chat, find_recording

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
    settings = {name: config[name] for name in ("low", "high", "decimals")}
    return LinearPolicy(world, spread=config["warmup_std"], **settings)


def set_up(name):
    """A recorded search: its record, world, policy and the brain that replays it."""
    record, model = load(name), chat(f"recorded:{name}")
    config = record.config
    world = world_of(config)
    policy = policy_of(config, world)
    if config["prompt"] == "table":
        options = {name: config[name] for name in ("description", "credit_name")}
        options["credit"] = {"return": "return", "steps": "to_go"}[config["credit"]]  # a step is 1
        return record, world, policy, TableBrain(model, policy, world, confirm=False, **options)
    names = {"prompt", "optimum", "description", "step_size"} & set(config)
    options = {name: config[name] for name in names}
    options["missing"] = 0.0 if config.get("sparse") else None
    return record, world, policy, LLMBrain(model, policy, **options)
