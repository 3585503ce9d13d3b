"""Optional: the picture of the mountain car in its valley."""

from collections.abc import Sequence

import gymnasium as gym
import numpy as np
from PIL import Image, ImageDraw

from .robots import GROUND, SMOOTH, TEXT
from .style import BLUE, INK

CAR_COLOR = "#D9771C"
# The car's outline and its wheels, in pixels from the ground below its middle.
CAR = [(-24, 6), (-24, 16), (-13, 18), (-6, 31), (9, 31), (18, 18), (26, 15), (26, 6)]
WHEELS = [(-13, 7), (14, 7)]


def draw_car(env: gym.Env) -> np.ndarray:
    """A picture of Gymnasium's MountainCar, for `World.episode(frame=draw_car)`.

    The flag stands at the goal. Gives (300, 600, 3) uint8.
    """
    width, height = 600, 300
    low, high = env.unwrapped.min_position, env.unwrapped.max_position

    def place(x: np.ndarray) -> np.ndarray:
        across = 20 + (x - low) / (high - low) * (width - 40)
        down = 0.93 * height - 0.28 * height * (np.sin(3 * x) + 1)
        return np.stack([across, down], axis=-1) * SMOOTH

    def near(x: float, points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        (left, top), (right, below) = place(np.array([x, x + 0.01]))
        turn = np.array([right - left, below - top]) / np.hypot(right - left, below - top)
        (c, s), points = turn, np.array(points) * SMOOTH
        return [(left + c * a + s * b, top + s * a - c * b) for a, b in points]

    image = Image.new("RGB", (width * SMOOTH, height * SMOOTH), GROUND)
    pen, x = ImageDraw.Draw(image), float(env.unwrapped.state[0])
    hill = place(np.linspace(low, high, 200))
    pen.line([tuple(point) for point in hill], fill=BLUE, width=4 * SMOOTH, joint="curve")
    left, top = place(np.array(env.unwrapped.goal_position))
    pen.line([(left, top), (left, top - 56 * SMOOTH)], fill=TEXT, width=2 * SMOOTH)
    flag = [(left, top - 56 * SMOOTH), (left - 26 * SMOOTH, top - 46 * SMOOTH)]
    pen.polygon([*flag, (left, top - 36 * SMOOTH)], fill=CAR_COLOR)
    pen.polygon(near(x, CAR), fill=CAR_COLOR)
    for a, b in near(x, WHEELS):
        pen.ellipse([a - 7 * SMOOTH, b - 7 * SMOOTH, a + 7 * SMOOTH, b + 7 * SMOOTH], fill=INK)
    return np.array(image.resize((width, height), Image.Resampling.LANCZOS))
