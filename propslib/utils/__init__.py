"""What the notebooks need to show things: plots, films, tables."""

# ruff: noqa: F401  what is imported here is for the notebooks, as utils.film

from . import check
from .draw import draw_car, draw_hopper, draw_swimmer
from .film import Film, film
from .plots import mark, plot_landscape, plot_phase, plot_run, plot_weights
from .style import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY, look, use_style
from .table import Table, diff, wrap
from .table_plots import plot_lake, plot_table, plot_visits
