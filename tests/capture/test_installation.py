"""Installing this package leaves the torch and the numpy of an environment alone."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
REQUIRED = {r.name: r for r in map(Requirement, PROJECT["dependencies"])}


def test_torch_comes_with_an_extra_only() -> None:
    assert not [name for name in REQUIRED if "torch" in name or "neuron" in name]
    extras = PROJECT["optional-dependencies"]
    assert [Requirement(r).name for r in extras["neuron"]] == ["torch-neuronx"]


def test_numpy_may_be_any_from_1_26_on() -> None:
    assert all(version in REQUIRED["numpy"].specifier for version in ("1.26.0", "1.26.4", "2.0.0", "2.9.1"))


def test_pandas_stays_where_it_takes_numpy_1_26() -> None:
    """pandas 3.1 requires numpy 2.0.2, so pip would exchange numpy to bring it."""
    assert "3.0.6" in REQUIRED["pandas"].specifier and "3.1.0" not in REQUIRED["pandas"].specifier


def test_no_other_requirement_has_an_upper_bound() -> None:
    """So that nothing that is there is replaced by something older."""
    others = [r for name, r in REQUIRED.items() if name != "pandas"]
    assert {clause.operator for r in others for clause in r.specifier} == {">="}
