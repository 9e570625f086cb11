"""Names of files and folders, as listings and documentation show them."""

from __future__ import annotations

from pathlib import Path

import pytest

from neuron_nbprof.formats.naming import Named, neff_name, ntff_name, process_of


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("neff_14382885777943380728.neff", Named("number", "14382885777943380728")),
        ("neff_395760075800974_vnc_3.neff", Named("number", "395760075800974", 3)),
        ("neff_0aFF_vnc_0.neff", Named("number", "0aFF", 0)),
        ("graph_5c1d9e.neff", Named("graph", "5c1d9e")),
        ("file.neff", Named("other", "file")),
        ("trace.json", None),
    ],
)
def test_programs(name: str, expected: Named | None) -> None:
    assert neff_name(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("14382885777943380728_instid_0_vnc_1.ntff", Named("number", "14382885777943380728", 1)),
        ("605291374318702_vnc_0.ntff", Named("number", "605291374318702", 0)),
        ("profile_nc_12_session_3.ntff", Named("session", "", 12, 3)),
        ("profile.ntff", Named("capture")),
        ("profile_rank_2.ntff", Named("capture")),
        ("profile_exec_4.ntff", Named("capture")),
        ("model_77_pid_4242_vnc_1_inst_020261129_101112.ntff", Named("number", "77", 1, None, 4242)),
        ("mine.ntff", Named("other", "mine")),
        ("mine.neff", None),
    ],
)
def test_device_traces(name: str, expected: Named | None) -> None:
    assert ntff_name(name) == expected


def test_numbers_keep_their_64_bits() -> None:
    named = neff_name("neff_14382885777943380729.neff")
    assert named is not None
    assert named.number == 14382885777943380729
    assert Named("number", "0aFF").number is None


def test_the_process_is_the_nearest_folder_named_after_one() -> None:
    inside = Path("/x/i-0a_pid_1/i-0b_pid_4242/1790857027000000000/trace.json")
    assert process_of(inside) == ("i-0b", 4242)
    assert process_of(Path("/x/host-pid_7")) == ("host", 7)
    assert process_of(Path("/x/trace.json")) == ("", 0)
    assert process_of(None) == ("", 0)
