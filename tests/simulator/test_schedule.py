"""The virtual clock and the device's queue, on made-up records."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch

from neuron_nbprof.simulator.costs import CostModel
from neuron_nbprof.simulator.placement import Placed
from neuron_nbprof.simulator.recorder import Kind, Record, TensorFacts
from neuron_nbprof.simulator.schedule import Submission, Unit, VirtualClock, simulate

MODEL = CostModel()
TENSOR = TensorFacts((1024, 1024), torch.float32, 4 * 1024 * 1024)


def placed(start: int, end: int, kind: Kind = Kind.EXECUTION, scalars: int = 0) -> Placed:
    """An operator from `start` to `end` whose numerics fill all but the first and last 10 us."""
    numerics = (start + 10_000, end - 10_000)
    record = Record(kind, "aten::mul.Tensor", 1, start, *numerics, end, (TENSOR,), (TENSOR,), scalars, 1)
    return Placed(record, None, start, start, numerics, end)


def test_the_clock_cuts_numerics_out_and_inserts_waits() -> None:
    clock = VirtualClock()
    assert clock.replace((1_000, 2_000, 8_000, 9_000), (300, 0, 100)) == 1_000
    clock.wait(9_500, until=5_000)
    assert [clock(t) for t in (0, 1_000, 2_000, 5_000, 8_000, 9_000)] == [
        0,
        1_000,
        1_300,
        1_300,
        1_300,
        1_400,
    ]
    assert [clock(t) for t in (9_499, 9_500, 10_000)] == [1_899, 5_000, 5_500]


def test_the_clock_never_runs_backwards() -> None:
    clock = VirtualClock()
    clock.replace((100, 150, 250, 300), (5, 0, 5))
    clock.replace((200, 90, 500, 400), (7, 0, 3))  # overlaps with the one before, and is not in order
    clock.wait(350, until=10)
    times = [clock(t) for t in range(0, 600)]
    assert times == sorted(times)


@pytest.fixture
def submissions() -> list[Submission]:
    """Three operators close together, one with a number, then a wait for the device."""
    items = [placed(0, 1_000_000), placed(1_100_000, 2_000_000, scalars=1), placed(2_000_000, 2_500_000)]
    return simulate([*items, placed(2_600_000, 2_600_000, Kind.SYNCHRONIZE)], MODEL)[1]


def test_a_submission_passes_the_lanes_in_order(submissions: list[Submission]) -> None:
    for submission in submissions:
        assert submission.dispatch[0] < submission.dispatch[1] < submission.runtime[0] < submission.runtime[1]
        assert submission.runtime[1] < submission.completed
        if submission.running and submission.waiting:
            assert (
                submission.runtime[1] < submission.running[0] < submission.running[1] < submission.waiting[1]
            )
            assert submission.waiting[0] <= submission.running[0]


def test_the_device_works_in_order_and_on_one_thing_at_a_time(submissions: list[Submission]) -> None:
    running = [submission.running for submission in submissions if submission.running]
    assert len(running) == 3
    for before, after in pairwise(running):
        assert after[0] - before[1] >= MODEL.gap_us * 1000


def test_a_number_is_written_to_the_device_before_its_operator_runs(submissions: list[Submission]) -> None:
    assert [s.unit for s in submissions] == [Unit.COMPUTE, Unit.WRITE, Unit.COMPUTE, Unit.COMPUTE]
    write, execution = submissions[1:3]
    assert write.runtime[1] <= execution.runtime[0]
    assert execution.running and submissions[0].running
    lengths = [s.running[1] - s.running[0] for s in (execution, submissions[0])]
    assert lengths[0] - lengths[1] == MODEL.scalar_launch_us * 1000


def test_sequence_numbers_carry_their_unit(submissions: list[Submission]) -> None:
    assert [s.sequence for s in submissions] == [(1 << 48) | 1, (2 << 48) | 1, (1 << 48) | 2, (1 << 48) | 3]
    assert [s.execution for s in submissions] == [1, None, 2, 3]


def test_the_host_waits_for_the_device() -> None:
    clock, submissions, _ = simulate(
        [placed(0, 1_000_000), placed(1_100_000, 1_100_000, Kind.SYNCHRONIZE)], MODEL
    )
    assert clock(1_100_000) == submissions[0].completed
    clock, submissions, _ = simulate([placed(0, 1_000_000), placed(1_100_000, 1_200_000, Kind.READ)], MODEL)
    execution, read = submissions
    assert execution.running and read.runtime[0] >= execution.running[1]
    assert clock(1_200_000) == read.completed


def test_the_same_records_give_the_same_times() -> None:
    items = [placed(0, 1_000_000), placed(1_100_000, 2_000_000)]
    first, second = (
        [(s.dispatch, s.runtime, s.running, s.completed) for s in simulate(items, MODEL)[1]] for _ in range(2)
    )
    assert first == second


def test_time_grows_with_the_bytes_moved() -> None:
    def ns(rows: int) -> int:
        facts = TensorFacts((rows, 1024), torch.float32, rows * 4096)
        return MODEL.device_ns(Record(Kind.EXECUTION, "aten::mul.Tensor", 1, 0, 0, 0, 0, (facts,), (facts,)))

    assert ns(2 * 4096) - ns(4096) == pytest.approx(1e9 * 2 * 4096 * 4096 / (2 * MODEL.hbm), abs=1)
