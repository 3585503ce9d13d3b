"""Films of episodes, with a player's controls."""

from __future__ import annotations

import base64
import html
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import imageio.v3 as iio
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ..world import Episode


class Film:
    """Pictures that move, shown in a notebook with a player's controls.

    frames
        Pictures of equal size, (height, width, 3) uint8.
    alt
        What can be seen, for those who cannot see it.
    """

    def __init__(self, frames: Sequence[np.ndarray], *, fps: int, alt: str):
        if not frames:
            raise ValueError("A film needs frames: run the episode with frame_every=1 or more.")
        # H.264 stores colour at half size, so both sides must be even.
        height, width = (side - side % 2 for side in frames[0].shape[:2])
        self.frames = [frame[:height, :width] for frame in frames]
        self.fps, self.alt = fps, alt

    def save(self, path: str | Path) -> Path:
        """Write the film to a `.mp4` or a `.gif`. Raises ValueError for any other ending."""
        path = Path(path)
        if path.suffix not in (".mp4", ".gif"):
            raise ValueError(f"A film is saved as .mp4 or .gif, not as {path.name!r}.")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self._encoded(path.suffix))
        return path

    def _encoded(self, suffix: str) -> bytes:
        buffer = BytesIO()
        if suffix == ".gif":
            iio.imwrite(buffer, self.frames, extension=".gif", duration=1000 / self.fps, loop=0)
        else:
            # One thread, so that the same frames give the same bytes.
            options = {"fps": self.fps, "codec": "libx264", "quality": None, "macro_block_size": 2}
            options["output_params"] = ["-crf", "30", "-threads", "1", "-movflags", "+faststart"]
            iio.imwrite(buffer, self.frames, extension=".mp4", plugin="FFMPEG", **options)
        return buffer.getvalue()

    def _repr_html_(self) -> str:
        data = base64.b64encode(self._encoded(".mp4")).decode()
        alt = html.escape(self.alt)
        return (
            '<video class="film" controls loop muted playsinline preload="auto" '
            f'aria-label="{alt}" style="max-width: 100%" '
            f'src="data:video/mp4;base64,{data}">{alt}</video>'
        )

    def __repr__(self) -> str:
        return f"Film({len(self.frames)} frames at {self.fps} a second: {self.alt})"


def film(
    episode: Episode,
    *,
    alt: str,
    fps: int = 30,
    caption: Callable[[int, Any, float], str] | None = None,
) -> Film:
    """A film of an episode that was run with `frame_every`, with a caption in each picture.

    caption
        A function of the step, the state and the return so far; None shows the step and return.

    Raises ValueError for an episode without frames.
    """
    caption = caption or (lambda step, state, total: f"step {step}   return {total:.1f}")
    totals = np.concatenate([[0.0], np.cumsum(episode.rewards)])
    pictures = [
        _write_on(frame, caption(step, episode.states[step], float(totals[step])))
        for step, frame in zip(episode.frame_steps, episode.frames, strict=True)
    ]
    return Film(pictures, fps=fps, alt=alt)


def _write_on(picture: np.ndarray, text: str) -> np.ndarray:
    image = Image.fromarray(picture)
    font = ImageFont.load_default(size=max(12, image.height // 20))
    ImageDraw.Draw(image).text((10, 8), text, fill="black", font=font)
    return np.array(image)
