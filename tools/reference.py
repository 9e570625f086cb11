"""Tables of the documentation that come from the code itself, as Markdown, and so cannot drift from it."""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
from collections.abc import Callable, Iterable
from typing import Any

from neuron_nbprof.analysis.insights import RULES, SEVERITIES
from neuron_nbprof.magics.shell import NeuronMagics
from neuron_nbprof.simulator import describe
from neuron_nbprof.simulator.costs import CostModel
from neuron_nbprof.simulator.presets import cost_model
from neuron_nbprof.simulator.settings import CHIPS, PRESETS, Settings
from neuron_nbprof.trace.links import OWNER_RULES, LinkRule

Row = Iterable[Any]


def table(columns: Row, rows: Iterable[Row]) -> str:
    lines = [list(columns), ["---"] * len(list(columns)), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(value: Any) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


# --- the magics ---


def magics() -> str:
    """Each magic with what its own help says."""
    parts = []
    for name in ("neuronprof", *sorted(set(NeuronMagics.magics["line"]) - {"neuronprof"})):
        magic = getattr(NeuronMagics, name)
        usage = "%%neuronprof [NAME] [OPTIONS]" if name == "neuronprof" else f"%{name}"
        parts.append(f"## `{usage}`\n\n{_prose(magic.__doc__)}")
    return "\n\n".join(parts)


def _prose(doc: str | None) -> str:
    """A docstring without the usage that `magic_arguments` puts before it, double backticks single."""
    text = inspect.cleandoc(doc or "")
    if text.startswith("::"):
        text = text.split("\n\n", 2)[2].partition("\npositional arguments:")[0]
        text = text.partition("\noptions:")[0]
    return inspect.cleandoc(text).replace("``", "`")


def magic_options() -> str:
    """The options of `%%neuronprof`, from its parser, beside the settings that are their defaults."""
    settings = NeuronMagics.class_traits(config=True)
    rows = [
        [_code(_written(action)), action.help.replace("%%", "%"), _default(settings.get(action.dest))]
        for action in NeuronMagics.neuronprof.parser._actions
        if action.option_strings and action.dest != "help"
    ]
    return table(["option", "what it does", "setting and its default"], rows)


def _written(action: argparse.Action) -> str:
    """An option as one types it, with what it takes."""
    value = action.metavar or ",".join(action.choices or ())
    return f"{', '.join(action.option_strings)} {value if action.nargs != 0 else ''}".rstrip()


def _default(setting: Any) -> str:
    return _code(f"NeuronMagics.{setting.name} = {setting.default()!r}") if setting else ""


# --- lanes, links, insights ---


def link_rules() -> str:
    """The rules of links, best evidence first."""
    rows = [
        [
            rule + 1,
            rule.text,
            "an operator owns a call" if rule in OWNER_RULES else "one submission through the lanes",
        ]
        for rule in LinkRule
    ]
    return table(["", "rule, as the explorer names it", "what it says"], rows)


def insights() -> str:
    """The rules of insights by severity, in their own order."""
    rows = sorted(RULES, key=lambda rule: SEVERITIES.index(rule.severity))
    return table(
        ["insight", "severity", "it looks for", "what to do"],
        [[_code(rule.id), rule.severity, rule.title, rule.remedy] for rule in rows],
    )


# --- the simulator ---


def simulator_constants() -> str:
    """Every constant of the default model with its source."""
    return _constants(cost_model(Settings()).constants())


def simulator_variants() -> str:
    """What the other presets and chips change of it, and how far each may be off."""
    default = cost_model(Settings()).constants()
    variants = [
        Settings(chip=chip, preset=preset, lnc=facts.lnc[-1])
        for chip, facts in CHIPS.items()
        for preset in PRESETS
    ]
    parts = []
    for settings in variants:
        if settings == Settings():
            continue
        model = cost_model(settings)
        changed = [constant for constant in model.constants() if constant not in default]
        parts += [
            f"### {settings.title}, preset `{settings.preset}`",
            f"Calibrated to {model.calibrated_to}. {_errors(model)}",
            _constants(changed),
        ]
    return "\n\n".join(parts)


def _constants(constants: Iterable[dict[str, Any]]) -> str:
    return table(
        ["constant", "value", "provenance", "source"],
        [
            [_code(one["name"]), f"{one['value']:.6g} {one['unit']}", one["provenance"], one["source"]]
            for one in constants
        ],
    )


def _errors(model: CostModel) -> str:
    return (
        f"Device times are taken to be within {model.device_error:.0%} of that, host times within "
        f"{model.host_error:.0%}."
    )


def simulator_calibration() -> str:
    model = cost_model(Settings())
    facts = model.describe()
    return (
        f"- Calibrated to {model.calibrated_to}. {_errors(model)}\n"
        f"- Not told apart: {facts['resolution']['not_distinguished']}.\n"
        f"- The host's clock: {facts['host_clock']}."
    )


def simulator_limits() -> str:
    """What `describe()` prints below the constants: assumed of operators, left to the CPU, refused."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        describe()
    _, found, rest = printed.getvalue().partition("passes of")
    lines = (found + rest).splitlines()
    return "\n".join(f"{'    ' if line.startswith(' ') else ''}- {line.strip()}" for line in lines)


#: What a page may ask for by `{{ name }}`.
TABLES: dict[str, Callable[[], str]] = {
    function.__name__: function
    for function in (
        magics,
        magic_options,
        link_rules,
        insights,
        simulator_constants,
        simulator_variants,
        simulator_calibration,
        simulator_limits,
    )
}
