"""What a search with a paid model would use, for the tests of the pages that print its cost."""

from propslib import LinearPolicy, LLMBrain, Run, World
from propslib.brain import find_recording
from propslib.brain.cost import forecast
from propslib.usage import Usage

# The models that examples name, one a provider: all are in prices.toml, and none has an end there.
EXAMPLES = {
    "openai": "openai:gpt-6.1-sol",
    "anthropic": "anthropic:claude-sonnet-5-5",
    "gemini": "gemini:gemini-3.8-flash",
}


def forecast_of(env_id: str, budget: int, prompt: str) -> Usage:
    """Of a search from 20 warm-up points; a prompt with a description describes the car."""
    description = Run.load(find_recording("mountaincar-props-plus")).config["description"]
    with World(env_id) as world:
        brain = LLMBrain(
            lambda text: None,
            LinearPolicy(world),
            prompt=prompt,
            optimum=100,
            description=description,
        )
    brain.begin(budget, episodes=20)
    return forecast(brain, budget, warmup=20, seed=0)
