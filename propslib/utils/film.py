"""Optional: films of episodes, with a player's controls."""

import html
from base64 import b64encode
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import imageio.v3 as iio
import numpy as np
from jinja2 import Template
from matplotlib.font_manager import findfont
from PIL import Image, ImageDraw, ImageFont

from ..world.trace import Episode

VIDEO = Template(Path(__file__).with_name("film.j2").read_text(encoding="utf-8"))


class Film:
    """Pictures that move, shown in a notebook with a player's controls.

    frames
        Pictures of equal size, (height, width, 3) uint8.
    alt
        What can be seen, for those who cannot see it.
    poster
        The share of the film, from 0 to 1, at which it stands still before it is played.

    Raises ValueError for no frames.
    """

    def __init__(self, frames: Sequence[np.ndarray], *, fps: int, alt: str, poster: float = 0.7):
        if not frames:
            raise ValueError("A film needs frames: run the episode with frame_every=1 or more.")
        # H.264 stores colour at half size, so both sides must be even.
        height, width = (side - side % 2 for side in frames[0].shape[:2])
        self.frames = [frame[:height, :width] for frame in frames]
        self.fps, self.alt, self.poster = fps, alt, poster

    def save(self, path: str | Path) -> Path:
        """Write the film to a `.mp4` or a `.gif`. Raises ValueError for any other ending."""
        path = Path(path)
        if path.suffix not in (".mp4", ".gif"):
            raise ValueError(f"A film is saved as .mp4 or .gif, not as {path.name!r}.")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self._encoded(path.suffix))
        return path

    def _encoded(self, suffix: str) -> bytes:
        options = {"duration": 1000 / self.fps, "loop": 0}
        if suffix == ".mp4":
            options = {"fps": self.fps, "codec": "libx264", "quality": None, "macro_block_size": 2}
            # One thread, so that the same frames give the same bytes.
            options["output_params"] = ["-crf", "30", "-threads", "1", "-movflags", "+faststart"]
            options["plugin"] = "FFMPEG"
        return iio.imwrite("<bytes>", self.frames, extension=suffix, **options)

    def _repr_html_(self) -> str:
        chosen = self.frames[round(self.poster * (len(self.frames) - 1))]
        still = iio.imwrite("<bytes>", chosen, extension=".jpg", quality=70)
        picture, data = (b64encode(file).decode() for file in (still, self._encoded(".mp4")))
        alt = html.escape(self.alt)
        return VIDEO.render(alt=alt, share=self.poster, picture=picture, data=data)

    def __repr__(self) -> str:
        return f"Film({len(self.frames)} frames at {self.fps} a second: {self.alt})"


Caption = Callable[[int, Any, float], str] | None


def _caption(step: int, state: Any, total: float) -> str:
    return f"step {step}   return {total:z.1f}".replace("-", "\N{MINUS SIGN}")


def film(
    episode: Episode, *, alt: str, fps: int = 30, poster: float = 0.7, caption: Caption = None
) -> Film:
    """A film of an episode that was run with `frame_every`, with a caption in each picture.

    poster
        As in `Film`.
    caption
        A function of the step, the state and the return so far; None shows step and return.

    Raises ValueError for an episode without frames.
    """
    totals = np.concatenate([[0.0], np.cumsum(episode.rewards)])
    pictures = []
    for step, frame in zip(episode.frame_steps, episode.frames, strict=True):
        image = Image.fromarray(frame)
        # Matplotlib's own font, which has a minus sign.
        font = ImageFont.truetype(findfont("DejaVu Sans"), max(12, image.width // 32))
        text = (caption or _caption)(step, episode.states[step], float(totals[step]))
        ImageDraw.Draw(image).text((10, 8), text, fill="black", font=font)
        pictures.append(np.array(image))
    return Film(pictures, fps=fps, alt=alt, poster=poster)
