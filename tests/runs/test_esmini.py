"""esmini's log, made by hand: what the file commands becomes a channel that names its evidence, what the road holds stands there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from regc.runs.esmini_files import event_times
from regc.runs.geometry import Rectangle, Track, sideways
from regc.runs.log import BoxInfo, DriverBraking, RunInfo, RunLog, Standing, commanded, sidecar_text
from regc.runs.read import read_log

BRAKES = DriverBraking(event="driver_brakes", speed=0.0, rate=4.0)
LOG = """\
[0.010] [info] DriverBrakes initState -> initToStandbyTransition -> standbyState
[1.000] [info] FunctionalPart standbyState -> startTransition -> runningState
[2.000] [info] Warning standbyState -> startTransition -> runningState
[2.500] [info] EmergencyBraking standbyState -> startTransition -> runningState
[3.010] [info] DriverBrakes standbyState -> startTransition -> runningState
"""


def run(folder: Path, **more: object) -> RunLog:
    """10 s of a vehicle at 20 m/s that brakes at 4 m/s2 from 3.01 s on, alone in esmini's log."""
    known = {"scenario": "T", "ego": "reference", "engine": "esmini", "simulated": True, "boxes": {}, **more}
    info = RunInfo.model_validate({"events": event_times(LOG, known.get("driver") or ()), **known})  # type: ignore[arg-type]
    lines = ["esmini GIT REV: made by hand"]
    x = 0.0
    for index in range(1001):
        time = index * 0.01
        speed = max(20.0 - 4.0 * max(time - 3.01, 0.0), 0.0)
        cells = ["0"] * 31
        cells[0] = "Ego"
        for column, number in zip((2, 5, 8, 9, 11, 12, 24), (speed, 1.35, 4.5, 1.8, x, 0.0, 0.0), strict=True):
            cells[column] = f"{number:.6f}"
        lines.append(", ".join([str(index), f"{time:.6f}", *cells]) + ", ")
        x += speed * 0.01
    (folder / "T__reference__r1.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "T__reference__r1.json").write_text(sidecar_text(info), encoding="utf-8")
    return read_log(folder / "T__reference__r1.csv")


def test_braking_of_the_driver_is_what_the_file_commands(tmp_path: Path) -> None:
    log = run(tmp_path, driver=(BRAKES,))
    own = log.get("driver_deceleration")
    assert own is not None
    assert (own[300], own[301], own[700], own[900]) == (0.0, 4.0, 4.0, 0.0)  # at rest after 5 s
    assert log.flags["driver_input"][[300, 301]].tolist() == [False, True]
    assert log.evidence["driver_deceleration"].endswith("began as the player's log says (DriverBrakes at 3.010 s)")


def test_a_driver_who_is_known_to_do_nothing_and_one_who_is_not_known(tmp_path: Path) -> None:
    nothing = run(tmp_path, driver=())
    assert (nothing.get("driver_deceleration"), nothing.flags["driver_input"].any()) == (None, False)
    unknown = run(tmp_path)
    assert "driver_input" not in unknown.flags


def test_an_event_that_never_began_commands_nothing(tmp_path: Path) -> None:
    log = run(tmp_path, driver=(BRAKES.model_copy(update={"event": "driver_slows_in_turn"}),))
    own = log.get("driver_deceleration")
    assert own is not None
    assert not own.any()
    assert log.evidence["driver_deceleration"].endswith("(never)")


def test_demand_of_the_model_in_the_file(tmp_path: Path) -> None:
    demand = run(tmp_path, demand=5.0).get("braking_demand")
    assert demand is not None
    assert (demand[249], demand[250], demand[-1]) == (0.0, 5.0, 5.0)
    assert run(tmp_path).get("braking_demand") is None  # another's file: the deceleration has to stand in


def test_what_is_part_of_the_road_stands_there(tmp_path: Path) -> None:
    plate = {"boxes": {"object": BoxInfo(length=3.0, width=2.4)}, "standing": {"object": Standing(x=63.1, y=0.0)}}
    gap = run(tmp_path, **plate).get("gap")
    assert gap is not None
    assert gap[0] == pytest.approx(63.1 - 1.5 - 1.35 - 2.25)
    assert run(tmp_path).get("gap") is None


def test_of_two_changes_the_later_counts() -> None:
    time, speed = np.array([0.0, 1.0, 2.0, 3.0]), np.array([20.0, 20.0, 16.0, 10.0])
    second = DriverBraking(event="slower", speed=10.0, rate=6.0)
    asked = commanded((second, BRAKES), {"driver_brakes": 1.0, "slower": 2.0}, time, speed)
    assert asked.tolist() == [0.0, 4.0, 6.0, 0.0]


def test_sideways_on_an_arc() -> None:
    """15 m/s on 150 m is 1.5 m/s2; the heading goes through half a turn without a leap."""
    time = np.arange(0.0, 5.0, 0.01)
    heading = np.mod(3.0 + 0.1 * time + np.pi, 2 * np.pi) - np.pi
    still = np.zeros(time.shape)
    found = sideways(Track(still, still, heading, still + 15.0, Rectangle(4.5, 1.8)), time)
    assert found["lateral_acceleration"][1:] == pytest.approx(1.5)
    assert found["lateral_jerk"][2:] == pytest.approx(0.0, abs=1e-6)
