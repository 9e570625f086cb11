"""The Bokeh figure of the timeline: glyphs over empty sources, which the browser fills with what it shows.

There is no axis, tool or callback in it: time, lanes, gestures and keys are the explorer's own. x is in ns
from the origin; y is minus the height in CSS pixels below the top of the timeline, so that the labels beside
the figure stay in line with it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import bokeh
from bokeh.core.properties import value
from bokeh.embed import json_item
from bokeh.models import ColumnDataSource, Range1d
from bokeh.plotting import figure

BARS = ("left", "right", "y", "height", "colour")
CURVES = ("x0", "y0", "cx0", "cy0", "cx1", "cy1", "x1", "y1")
LABELS = ("x", "y", "text", "colour", "ground")


def bokeh_js() -> bytes:
    """The source of BokehJS that belongs to the installed Bokeh (its core bundle, minified)."""
    return (Path(bokeh.__file__).parent / "server" / "static" / "js" / "bokeh.min.js").read_bytes()


@cache
def timeline_item() -> dict[str, Any]:
    """The figure as BokehJS embeds it, the same for every trace."""
    plot = figure(
        # Bokeh's own level of detail would drop glyphs while the figure moves.
        lod_threshold=None,
        output_backend="canvas",
        sizing_mode="stretch_both",
        # Even an empty title asks for its computed style in each frame, a fifth of its time.
        title=None,
        toolbar_location=None,
        tools="",
        x_range=Range1d(0, 1),
        y_range=Range1d(-1, 0),
        x_axis_location=None,
        y_axis_location=None,
        # Bokeh clears its canvas from half a pixel on, so nothing may be drawn at its very edge.
        min_border=0,
        min_border_left=1,
        min_border_top=1,
        outline_line_color=None,
        background_fill_alpha=0,
        border_fill_alpha=0,
    )
    plot.grid.visible = False
    _add_glyphs(plot)
    return dict(json_item(plot))


def _add_glyphs(plot: figure) -> None:
    """Every renderer bears the name of its source; later ones lie above earlier ones."""
    bar = {"left": "left", "right": "right", "y": "y", "height": "height", "fill_color": "colour"}
    plot.vspan(x="x", source=_source("grid", "x"), name="grid")
    plot.image_rgba(
        image="image",
        x="x",
        y="y",
        dw="dw",
        dh="dh",
        origin="top_left",
        anchor="top_left",
        source=_source("density", "image", "x", "y", "dw", "dh"),
        name="density",
    )
    plot.hbar(**bar, line_color=None, source=_source("slices", *BARS), name="slices")
    plot.hbar(
        **bar,
        line_color=None,
        hatch_pattern="right_diagonal_line",
        hatch_scale=8,
        hatch_weight=1.5,
        source=_source("waits", *BARS),
        name="waits",
    )
    plot.hbar(**bar, line_width=2, source=_source("marks", *BARS), name="marks")
    plot.text(
        x="x",
        y="y",
        text="text",
        text_color="colour",
        text_font_size="11px",
        text_font_style="bold",
        text_font=value("system-ui, 'DejaVu Sans', sans-serif"),
        text_baseline="middle",
        background_fill_color="ground",
        source=_source("labels", *LABELS),
        name="labels",
    )
    for name, dash in (("arrows", "solid"), ("guesses", "dashed")):
        plot.bezier(
            **{column: column for column in CURVES},
            line_width=1.7,
            line_dash=dash,
            source=_source(name, *CURVES),
            name=name,
        )
    plot.scatter(
        x="x",
        y="y",
        angle="angle",
        marker="triangle",
        size=9,
        line_color=None,
        source=_source("heads", "x", "y", "angle"),
        name="heads",
    )


def _source(name: str, *columns: str) -> ColumnDataSource:
    return ColumnDataSource(data={column: [] for column in columns}, name=f"{name}_data")
