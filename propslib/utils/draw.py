"""Optional: pictures of the mountain car and of MuJoCo's planar robots, without OpenGL."""

from collections.abc import Sequence

import gymnasium as gym
import numpy as np
from matplotlib.font_manager import findfont
from PIL import Image, ImageDraw, ImageFont

from .style import BLUE, GREEN, INK, ORANGE, RED

GROUND, LINE, TEXT, CAR_COLOR = "#eef4f8", "#c3d3df", "#5a6b78", "#D9771C"
SMOOTH = 3  # drawn larger, then halved, for smooth edges
# The car's outline and its wheels, in two thirds of a pixel from the ground below its middle.
CAR = [(-24, 6), (-24, 16), (-13, 18), (-6, 31), (9, 31), (18, 18), (26, 15), (26, 6)]
WHEELS = [(-13, 7), (14, 7)]


def draw_car(env: gym.Env) -> np.ndarray:
    """A picture of Gymnasium's MountainCar, for `World.episode` with `frame=draw_car`.

    The flag stands at the goal. Gives (450, 900, 3) uint8.
    """
    width, height = 600, 300
    low, high = env.unwrapped.min_position, env.unwrapped.max_position

    def place(x: np.ndarray) -> np.ndarray:
        across = 20 + (x - low) / (high - low) * (width - 40)
        down = 0.93 * height - 0.28 * height * (np.sin(3 * x) + 1)
        return np.stack([across, down], axis=-1) * SMOOTH

    def near(x: float, points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        (left, top), (right, below) = place(np.array([x, x + 0.01]))
        c, s = np.array([right - left, below - top]) / np.hypot(right - left, below - top)
        return [(left + c * a + s * b, top + s * a - c * b) for a, b in np.multiply(points, SMOOTH)]

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
    return np.array(image.reduce(2))


def draw_swimmer(env: gym.Env) -> np.ndarray:
    """Gymnasium's Swimmer from above, for `World.episode` with `frame=draw_swimmer`.

    The picture follows the swimmer's middle; a line on the ground every metre shows how it moves.
    Gives (360, 720, 3) uint8.
    """
    data = env.unwrapped.data
    middle = data.geom_xpos[env.unwrapped.model.geom_bodyid > 0].mean(axis=0)
    return _drawn(env, (480, 240), 480 / 7, middle, (0, 1), (240, 120), (RED, ORANGE, BLUE))


def draw_hopper(env: gym.Env) -> np.ndarray:
    """Gymnasium's Hopper from the side, for `World.episode` with `frame=draw_hopper`.

    The picture follows the torso; a line on the wall every metre shows how it moves. The torso is
    red, thigh and leg are orange and blue, the foot is green, and forward is to the right. Gives
    (480, 540, 3) uint8.
    """
    foot = np.array([env.unwrapped.data.qpos[0], 0.0, 0.0])  # on the ground below the torso
    colors = (RED, ORANGE, BLUE, GREEN)
    return _drawn(env, (360, 320), 320 / 2.1, foot, (0, 2), (180, 0.88 * 320), colors, floor=True)


def _drawn(env: gym.Env, size, scale, centre, axes, place, colors, floor=False) -> np.ndarray:
    """A picture in two of the world's axes, the centre (metres) at a place in it."""
    image = Image.new("RGB", (size[0] * SMOOTH, size[1] * SMOOTH), GROUND)
    pen, font = ImageDraw.Draw(image), ImageFont.truetype(findfont("DejaVu Sans"), 18 * SMOOTH)
    model, data, scale = env.unwrapped.model, env.unwrapped.data, scale * SMOOTH

    def pixel(point: np.ndarray) -> np.ndarray:
        return np.array(place) * SMOOTH + (point - centre)[list(axes)] * (scale, -scale)

    if floor:
        pen.rectangle([0, pixel(centre)[1], *image.size], fill=LINE)
    for metre in range(int(centre[0]) - 5, int(centre[0]) + 6):
        x = pixel(np.array([metre, 0.0, 0.0]))[0]
        pen.line([(x, 0), (x, image.height)], fill=LINE, width=SMOOTH * (1 if metre else 3))
        if 0 <= x <= image.width - 50 * SMOOTH:  # the whole label is in sight
            label = f"{metre} m".replace("-", "\N{MINUS SIGN}")
            pen.text((x + 4 * SMOOTH, image.height - 26 * SMOOTH), label, fill=TEXT, font=font)
    parts = np.flatnonzero(model.geom_bodyid > 0)  # 0 is the world itself
    for i, color in zip(parts, colors, strict=True):
        radius, half = model.geom_size[i][:2]
        axis, radius = data.geom_xmat[i].reshape(3, 3)[:, 2] * half, radius * scale
        ends = [pixel(data.geom_xpos[i] + sign * axis) for sign in (-1, 1)]
        pen.line([tuple(end) for end in ends], fill=color, width=round(2 * radius))
        for x, y in ends:
            pen.ellipse([x - radius, y - radius, x + radius, y + radius], fill=color)
    return np.array(image.reduce(2))
