"""Optional: pictures of the car and of MuJoCo's planar robots, drawn from their states."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import gymnasium as gym
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from .style import BLUE, GREEN, ORANGE, RED

GROUND, LINE, TEXT, INK = "#eef4f8", "#c3d3df", "#5a6b78", "#1f2d38"
CAR_COLOR = "#D9771C"
SMOOTH = 2  # drawn larger, then shrunk, for smooth edges

# The car's outline and its wheels, in pixels from the ground below its middle.
CAR = [(-24, 6), (-24, 16), (-13, 18), (-6, 31), (9, 31), (18, 18), (26, 15), (26, 6)]
WHEELS = [(-13, 7), (14, 7)]

Pixel = Callable[[np.ndarray], tuple[float, float]]


def draw_car(env: gym.Env, *, width: int = 600, height: int = 300) -> np.ndarray:
    """A picture of Gymnasium's MountainCar, for `World.episode(frame=draw_car)`.

    The flag stands at the goal. Gives (height, width, 3) uint8.
    """
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


def draw_swimmer(env: gym.Env, *, width: int = 480, height: int = 240) -> np.ndarray:
    """A picture of Gymnasium's Swimmer from above, for `World.episode(frame=draw_swimmer)`.

    The picture follows the swimmer's middle; a line on the ground every metre shows how it moves.
    It needs no OpenGL. Gives (height, width, 3) uint8.
    """
    scale = width / 7.0  # pixels a metre
    centre = np.mean([middle[:2] for middle, _, _ in _capsules(env)], axis=0)

    def pixel(point: np.ndarray) -> tuple[float, float]:
        x, y = (point[:2] - centre) * scale
        return (width / 2 + x) * SMOOTH, (height / 2 - y) * SMOOTH

    image = Image.new("RGB", (width * SMOOTH, height * SMOOTH), GROUND)
    _draw_metres(image, centre[0], pixel, reach=5)
    _draw_capsules(image, env, (RED, ORANGE, BLUE), pixel, scale)
    return np.array(image.resize((width, height), Image.Resampling.LANCZOS))


def draw_hopper(env: gym.Env, *, width: int = 360, height: int = 320) -> np.ndarray:
    """A picture of Gymnasium's Hopper from the side, for `World.episode(frame=draw_hopper)`.

    The picture follows the torso; a line on the wall every metre shows how it moves. The torso is
    red, thigh and leg are orange and blue, the foot is green, and forward is to the right. It
    needs no OpenGL. Gives (height, width, 3) uint8.
    """
    scale = height / 2.1  # pixels a metre
    centre = float(env.unwrapped.data.qpos[0])

    def pixel(point: np.ndarray) -> tuple[float, float]:
        x, z = (point[0] - centre) * scale, point[2] * scale
        return (width / 2 + x) * SMOOTH, (0.88 * height - z) * SMOOTH

    image = Image.new("RGB", (width * SMOOTH, height * SMOOTH), GROUND)
    floor = pixel(np.zeros(3))[1]
    ImageDraw.Draw(image).rectangle([0, floor, *image.size], fill=LINE)
    _draw_metres(image, centre, pixel, reach=2)
    _draw_capsules(image, env, (RED, ORANGE, BLUE, GREEN), pixel, scale)
    return np.array(image.resize((width, height), Image.Resampling.LANCZOS))


def _capsules(env: gym.Env) -> Iterator[tuple[np.ndarray, np.ndarray, float]]:
    """Of each part of the robot: the middle, half the axis, and the radius, in metres."""
    model, data = env.unwrapped.model, env.unwrapped.data
    for i in range(model.ngeom):
        if model.geom_bodyid[i] > 0:  # 0 is the world itself
            radius, half = model.geom_size[i][:2]
            yield data.geom_xpos[i], data.geom_xmat[i].reshape(3, 3)[:, 2] * half, radius


def _draw_capsules(
    image: Image.Image, env: gym.Env, colors: tuple[str, ...], pixel: Pixel, scale: float
) -> None:
    pen = ImageDraw.Draw(image)
    for (middle, half, radius), color in zip(_capsules(env), colors, strict=True):
        ends = [pixel(middle + sign * half) for sign in (-1, 1)]
        radius *= scale * SMOOTH
        pen.line(ends, fill=color, width=round(2 * radius))
        for x, y in ends:
            pen.ellipse([x - radius, y - radius, x + radius, y + radius], fill=color)


def _draw_metres(image: Image.Image, centre: float, pixel: Pixel, reach: int) -> None:
    """A line at every metre of x around the centre, the one at 0 m thicker."""
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(size=11 * SMOOTH)
    for metre in range(int(centre) - reach, int(centre) + reach + 1):
        x = pixel(np.array([metre, 0.0, 0.0]))[0]
        width = SMOOTH * (3 if metre == 0 else 1)
        pen.line([(x, 0), (x, image.height)], fill=LINE, width=width)
        pen.text((x + 4, image.height - 18 * SMOOTH), f"{metre} m", fill=TEXT, font=font)
