"""Verdicts on logs against the truth of the drives: never a pass where the drive fails, never a fail where it passes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.judge.drives import APPROACH, Drive, first, log, text, without, write
from tests.judge.suites import judged, un152

from regc.engines.kinematic import AebModel, RunParameters, drive
from regc.errors import DataFileError
from regc.judge.campaign import judge
from regc.judge.declarations import Declarations
from regc.judge.verdict import RunVerdict
from regc.manoeuvres import data, stage
from regc.runs.mapping import read_mapping
from regc.runs.playback import info_of, log_of
from regc.runs.read import read_logs

BICYCLE = "UNR152-02_p6.7.1_CtoB_M1_MassRun_040"
WALKER = "UNR152-02_p6.6.1_CtoP_M1_MaxMass_040"
C20, C42, C60 = (f"UNR152-02_p6.4_CtoStC_M1_MassRun_{speed:03d}" for speed in (20, 42, 60))
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)
Columns = dict[str, list[float | None]]
#: boxes of a vehicle 1.8 m wide and a target whose half width or half length makes up Drive.half
BOXES = {"subject_box": {"length": 4.5, "width": 1.8}, "target_box": {"length": 0.5, "width": 0.5}, "target_reference": 0.0}
#: the lead is asked above the relative speed up to which the vehicle avoids the collision
AVOIDS_40 = Declarations(values={"avoids_up_to": "40 km/h"})
HIDDEN = Declarations(reasons={"": {"warning": "hidden"}})


def verdict(
    folder: Path, id: str, columns: Columns, *, sidecar: dict[str, object] | None = None, told: Declarations | None = None
) -> RunVerdict:
    path = write(folder, f"{id}__r1", columns)
    if sidecar is not None:
        path.with_suffix(".json").write_text(json.dumps({"scenario": id, **sidecar}), encoding="utf-8")
    return judge(un152(), read_logs([path])[0], declarations=told).runs[0]


def right_side(found: str, passes: bool) -> None:
    assert found in (("pass", "incomplete") if passes else ("fail", "invalid", "incomplete"))


# ---- bounds: no slack, and no answer that the samples do not give ----


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("late", [-0.25, -0.15, -0.102, -0.098, 0.0, 0.05, 0.098, 0.102, 0.15, 0.25])
def test_bicycle_off_the_centreline(tmp_path: Path, late: float, step: float) -> None:
    # the anticipated impact point is at most 0.1 m off the centreline; the motion is uniform, so that every rate shows it
    run = verdict(tmp_path, BICYCLE, log(Drive(speed=40, target=15, crossing=True, braking=1.5, rate=9.0, late=late), step))
    assert run.verdict == ("pass" if abs(late) <= 0.1 else "invalid"), run.reason


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("lead", [0.0, 0.4, 0.6, 0.7, 0.79, 0.81, 0.9, 1.0, 1.2])
def test_warning_lead_of_0_8_s(tmp_path: Path, lead: float, step: float) -> None:
    drive = Drive(speed=60, warning=1.2 + lead, braking=1.2, rate=6.0)
    for shift in (0.0, step / 3, step / 2):
        run = verdict(tmp_path, C60, log(drive, step, shift=shift), told=AVOIDS_40)
        right_side(run.verdict, passes=lead >= 0.8)
        if abs(lead - 0.8) > step:
            assert run.verdict == ("pass" if lead > 0.8 else "fail"), run.reason


def test_open_lead_is_told_with_value_bracket_and_bound(tmp_path: Path) -> None:
    run = verdict(tmp_path, C60, log(Drive(speed=60, warning=2.0), 0.1))
    assert run.verdict == "incomplete"
    assert "0.800 s before emergency braking (between 0.700 and 0.900 s), required >= 0.8 s" in run.reason


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("ttc", [3.5, 3.9, 3.98, 4.02, 4.1])
def test_time_to_collision_at_the_start(tmp_path: Path, ttc: float, step: float) -> None:
    columns = log(Drive(), step)
    begins = APPROACH + 4.2 - ttc
    columns["functional_part"] = [float((time or 0.0) >= begins - 1e-9) for time in columns["time_s"]]
    run = verdict(tmp_path, C42, columns)
    right_side(run.verdict, passes=ttc >= 4.0)
    if ttc < 4.0 - step - 0.001:
        assert run.verdict == "invalid"


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("rate", [4.5, 5.0, 5.5, 5.9, 6.1, 6.5, 7.0])
@pytest.mark.parametrize("speed", [42, 45, 50, 60])
def test_impact_speed_against_its_limit(tmp_path: Path, speed: int, rate: float, step: float) -> None:
    limit = {42: 0.0, 45: 15.0, 50: 25.0, 60: 35.0}[speed]
    drive = Drive(speed=speed, braking=0.9, rate=rate, warning=1.9)
    passes = (drive.impact or 0.0) <= limit and rate >= 5.0
    for shift in (0.0, 0.4 * step):
        run = verdict(tmp_path, f"UNR152-02_p6.4_CtoStC_M1_MassRun_{speed:03d}", log(drive, step, shift=shift))
        right_side(run.verdict, passes)
        if step <= 0.02 and abs((drive.impact or 0.0) - limit) > 1.0:
            assert run.verdict == ("pass" if passes else "fail"), run.reason


@pytest.mark.parametrize(("rate", "expected"), [(4.999, "fail"), (5.0, "pass")])
def test_demand_is_compared_as_it_is(tmp_path: Path, rate: float, expected: str) -> None:
    assert verdict(tmp_path, C20, log(Drive(speed=20.5, rate=rate))).verdict == expected


# ---- what a log does not show is not taken as given ----

HITS = Drive(speed=42, braking=0.9, rate=5.0)  # 136.1 - 105 = 31.1: 20.1 km/h, limit 0
STOPS = Drive(speed=42, rate=7.0)


def collided(columns: Columns, *, keep_flag: bool) -> Columns:
    """The body loses its speed in the sample of the contact, as a physics engine has it; the flag comes then, or a sample late."""
    at = first(columns, "contact")
    for name in ("subject_speed_m_s", "braking_demand_m_s2"):
        columns[name][at:] = [0.0] * len(columns[name][at:])
    if not keep_flag:
        columns["contact"][at] = 0.0
    return columns


def strip(columns: Columns) -> Columns:
    """A contact strip stops the body 0.08 m before the gap is gone; the flag comes a sample late."""
    at = next(index for index, gap in enumerate(columns["gap_m"]) if (gap or 0.0) < 0.08)
    rest = len(columns["gap_m"]) - at
    for name, value in (("subject_speed_m_s", 0.0), ("gap_m", columns["gap_m"][at]), ("braking_demand_m_s2", 0.0), ("contact", 1.0)):
        columns[name][at:] = [value] * rest
    columns["contact"][at] = 0.0
    return columns


def blank(name: str) -> Callable[[Columns], None]:
    def change(columns: Columns) -> None:
        columns[name] = [None] * len(columns[name])

    return change


def zeros(columns: Columns) -> None:
    columns["contact"] = [0.0] * len(columns["contact"])


@pytest.mark.parametrize("step", [0.01, 0.05, 0.1])
@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.pop("contact"),
        blank("contact"),
        zeros,
        lambda c: collided(c, keep_flag=True),
        lambda c: collided(c, keep_flag=False),
        strip,
        lambda c: c["contact"].__setitem__(slice(0, first(c, "contact") + 3), [0.0] * (first(c, "contact") + 3)),
    ],
)
def test_a_hit_never_passes_whatever_the_contact_channel_says(tmp_path: Path, change: Callable[[Columns], None], step: float) -> None:
    columns = log(HITS, step)
    change(columns)
    assert verdict(tmp_path, C42, columns).verdict in ("fail", "invalid")


def test_contact_flag_that_contradicts_the_gap_is_named(tmp_path: Path) -> None:
    columns = log(HITS)
    zeros(columns)
    run = verdict(tmp_path, C42, columns)
    assert run.verdict == "invalid"
    assert run.reason.startswith("gap and contact: gap -0.")
    early = log(STOPS)
    at = next(index for index, gap in enumerate(early["gap_m"]) if (gap or 0.0) < 10.0)
    early["contact"][at:] = [1.0] * len(early["contact"][at:])
    run = verdict(tmp_path, C42, early)
    assert (run.verdict, run.reason.split(":")[0]) == ("invalid", "gap and contact")


@pytest.mark.parametrize("step", [0.01, 0.05])
@pytest.mark.parametrize("before_end", [0.3, 0.1, 0.02])
def test_one_lost_speed_sample_is_no_standstill(tmp_path: Path, before_end: float, step: float) -> None:
    # 8 m/s are left when the log ends 0.2 s before the contact
    drive = Drive(speed=60, braking=0.9, rate=7.0)
    columns = log(drive, step, seconds=6.5)
    at = len(columns["time_s"]) - 1 - round(before_end / step)
    columns["subject_speed_m_s"][at] = 0.0
    assert verdict(tmp_path, C60, columns).verdict in ("invalid", "incomplete")


def test_lost_samples_change_no_side(tmp_path: Path) -> None:
    for driven, passes in ((HITS, False), (STOPS, True)):
        for start in range(0, 7):
            columns = without(log(driven, 0.02), set(range(start, 500, 7)))
            right_side(verdict(tmp_path, C42, columns).verdict, passes)


@pytest.mark.parametrize(("rest", "expected"), [(0.02, "incomplete"), (0.2, "pass")])
def test_gap_within_its_measuring_error(tmp_path: Path, rest: float, expected: str) -> None:
    # stops `rest` m before the target: v^2 / (2 a) = v * 1 s - rest
    speed = 42 / 3.6
    columns = log(Drive(speed=42, braking=1.0, rate=speed**2 / 2 / (speed - rest)))
    assert verdict(tmp_path, C42, columns).verdict == expected
    assert verdict(tmp_path, C42, columns, sidecar={"gap_error": 0.3}).verdict == "incomplete"


def test_what_a_channel_of_the_wrong_sign_says_is_not_taken(tmp_path: Path) -> None:
    columns = log(Drive(speed=40, warning=2.2, braking=1.4, rate=7.0))
    columns["braking_demand_m_s2"] = [-(value or 0.0) for value in columns["braking_demand_m_s2"]]
    run = verdict(tmp_path, C42, columns)
    assert run.verdict == "invalid"
    assert "braking demand and speed" in run.reason
    assert "turn the sign (factor = -1.0)" in run.reason


def test_demand_in_another_unit_is_not_taken(tmp_path: Path) -> None:
    columns = log(Drive(speed=40, warning=2.2, braking=1.4, rate=7.0))
    columns["braking_demand_m_s2"] = [(value or 0.0) / 9.80665 for value in columns["braking_demand_m_s2"]]
    run = verdict(tmp_path, C42, columns)
    assert (run.verdict, "another unit" in run.reason) == ("invalid", True)


@pytest.mark.parametrize("below", [0.5, 2.0])
def test_gap_that_stands_still_shows_no_way_that_was_left(tmp_path: Path, below: float) -> None:
    # the radar loses the target, which is then hit at 15 km/h; no contact channel
    drive = Drive(speed=42, warning=1.9, braking=1.0, rate=5.0)
    assert drive.impact is not None
    columns = log(drive)
    columns.pop("contact")
    lost = next(index for index, gap in enumerate(columns["gap_m"]) if (gap or 0.0) < below)
    columns["gap_m"][lost:] = [columns["gap_m"][lost]] * (len(columns["gap_m"]) - lost)
    run = verdict(tmp_path, C42, columns)
    assert (run.verdict, "gap and speeds" in run.reason) == ("invalid", True)


@pytest.mark.parametrize(("begins", "expected"), [(0.4, "pass"), (0.505, "incomplete"), (0.6, "invalid")])
def test_straight_approach_of_2_s_as_the_samples_show_it(tmp_path: Path, begins: float, expected: str) -> None:
    # the functional part starts at 2.5 s, so that 2.1, 1.995 and 1.9 s of approach are logged, every 0.02 s
    columns = log(Drive(speed=40, warning=2.4, braking=1.4, rate=7.0), 0.02, shift=begins)
    assert verdict(tmp_path, C42, columns).verdict == expected


def test_run_that_is_not_shown_to_be_valid_has_not_failed(tmp_path: Path) -> None:
    columns = log(Drive(speed=42, warning=1.9, braking=1.0, rate=4.0))
    columns.pop("lateral_offset_m")
    run = verdict(tmp_path, C42, columns)
    assert run.verdict == "incomplete"
    assert "not met if the run is valid: Relative impact speed" in run.reason


def test_functional_part_that_nothing_marks_is_open(tmp_path: Path) -> None:
    # the target starts 4.2 s before contact, the latest start of a functional part is 4 s before it
    drive = Drive(speed=40, target=5, crossing=True, warning=2.0, braking=1.5, rate=9.0)
    columns = log(drive)
    marks = columns.pop("functional_part")
    columns["target_speed_m_s"] = [5 / 3.6 if mark else 0.0 for mark in marks]
    assert verdict(tmp_path, WALKER, columns, sidecar=BOXES).verdict == "incomplete"
    assert verdict(tmp_path, WALKER, {**columns, "functional_part": marks}, sidecar=BOXES).verdict == "pass"


@pytest.mark.parametrize("step", [0.01, 0.1])
@pytest.mark.parametrize(
    ("demand", "driver", "expected"),
    [
        (7.0, None, "pass"),  # all the speed that is lost was demanded
        (6.0, None, "pass"),  # the brakes overshoot the demand
        (5.0, None, "incomplete"),  # 7 m/s2 were braked: the system's 5 m/s2 would hit the target
        (None, None, "incomplete"),
        (5.0, 0.0, "pass"),
        (5.0, 1.0, "invalid"),
    ],
)
def test_braking_that_nobody_is_shown_to_have_demanded_may_be_the_drivers(
    tmp_path: Path, demand: float | None, driver: float | None, expected: str, step: float
) -> None:
    columns = log(STOPS, step)
    asked = columns["braking_demand_m_s2"]
    columns["braking_demand_m_s2"] = [demand if value else 0.0 for value in asked] if demand is not None else []
    columns["driver_input"] = [driver if value else 0.0 for value in asked] if driver is not None else []
    run = verdict(tmp_path, C42, {name: values for name, values in columns.items() if values})
    assert run.verdict == expected, run.reason
    if expected == "incomplete":
        assert "the driver may have braked: log driver_input" in run.reason


def test_a_hit_that_nobody_braked_fails_without_a_channel_of_the_driver(tmp_path: Path) -> None:
    columns = log(Drive(speed=42, braking=0.0, warning=1.0))
    del columns["driver_input"], columns["braking_demand_m_s2"]
    run = verdict(tmp_path, C42, columns)
    assert run.verdict == "fail", run.reason


def test_demand_without_deceleration_is_invalid(tmp_path: Path) -> None:
    columns = log(Drive(speed=60, rate=0.001, warning=2.2, braking=1.2))
    columns["braking_demand_m_s2"] = [6.0 if demand else 0.0 for demand in columns["braking_demand_m_s2"]]
    run = verdict(tmp_path, C60, columns)
    assert (run.verdict, run.reason.split(":")[0]) == ("invalid", "braking demand and speed")


@pytest.mark.parametrize(("rate", "expected"), [(4.5, "incomplete"), (6.0, "pass")])
def test_deceleration_shows_that_a_demand_was_enough_and_never_that_it_was_not(tmp_path: Path, rate: float, expected: str) -> None:
    columns = log(Drive(speed=20.5, rate=rate))
    columns["deceleration_m_s2"] = columns.pop("braking_demand_m_s2")
    assert verdict(tmp_path, C20, columns, told=HIDDEN).verdict == expected


@pytest.mark.parametrize("channel", ["warning_acoustic", "warning_optical"])
def test_warning_that_is_not_observed_is_open(tmp_path: Path, channel: str) -> None:
    columns = log(STOPS)
    blank(channel)(columns)
    assert verdict(tmp_path, C42, columns).verdict == "incomplete"
    columns[channel] = [0.0] * len(columns[channel])
    assert verdict(tmp_path, C42, columns).verdict == "fail"


def walk(braking: float, rate: float) -> Columns:
    columns = log(Drive(speed=40, target=5, crossing=True, braking=braking, rate=rate))
    columns["target_speed_m_s"] = [0.0 if (time or 0) < APPROACH else 5 / 3.6 for time in columns["time_s"]]
    return columns


def test_pedestrian_that_is_hit_without_a_contact_channel(tmp_path: Path) -> None:
    # 123.5 - 40 = 83.5: 32.9 km/h where the limit is 0; the target is 0.04 m past the middle, where every vehicle hits it
    columns = walk(braking=0.3, rate=6.0)
    del columns["contact"]
    assert verdict(tmp_path, WALKER, columns).verdict == "fail"
    # 123.5 - 120 = 3.5: 6.7 km/h, 0.9 m past the middle: within the half widths of 0.9 and 0.25 m, which only the bodies show
    columns = walk(braking=0.9, rate=6.0)
    del columns["contact"]
    assert verdict(tmp_path, WALKER, columns).verdict == "incomplete"
    assert verdict(tmp_path, WALKER, columns, sidecar=BOXES).verdict == "fail"


def test_crossing_that_shows_neither_contact_nor_bodies_is_open(tmp_path: Path) -> None:
    columns = walk(braking=1.2, rate=7.0)
    assert verdict(tmp_path, WALKER, columns).verdict == "pass"
    for change in (blank("contact"), lambda c: c.pop("contact")):
        change(columns)
        run = verdict(tmp_path, WALKER, columns)
        assert run.verdict == "incomplete", run.reason
    (tmp_path / f"{WALKER}__r1.json").unlink(missing_ok=True)
    assert verdict(tmp_path, WALKER, columns, sidecar=BOXES).verdict == "pass"


def test_constant_contact_of_a_mapping_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text("[columns]\ntime = { column = 't', unit = 's' }\n[constants]\ncontact = 0\n", encoding="utf-8")
    with pytest.raises(DataFileError, match=r"constants\.contact = 0"):
        read_mapping(tmp_path / "own.toml")


def test_test_without_a_criterion_never_passes(tmp_path: Path) -> None:
    suite = un152()
    bare = next(item for item in suite.scenarios if item.id == C42).model_copy(update={"require": ()})
    logs, _ = read_logs([write(tmp_path, f"{C42}__r1", log(STOPS))])
    run = judge(suite.model_copy(update={"scenarios": (bare,)}), logs).runs[0]
    assert run.verdict == "incomplete"
    assert "no criterion" in run.reason


# ---- no log is left out ----

FORMS: dict[str, Callable[[str], bytes]] = {
    "byte order mark": lambda content: content.encode("utf-8-sig"),
    "UTF-16": lambda content: content.encode("utf-16"),
    "comment first": lambda content: b"# recorded by the bench\n" + content.encode(),
    "time last": lambda content: "\n".join(
        ",".join(line.split(",")[1:] + line.split(",")[:1]) for line in content.splitlines()
    ).encode(),
    "Timestamp_s": lambda content: content.replace("time_s", "Timestamp_s", 1).encode(),
    "time not first": lambda content: "\n".join(
        ",".join([line.split(",")[1], line.split(",")[0], *line.split(",")[2:]]) for line in content.splitlines()
    ).encode(),
    "UTF-16, big end first": lambda content: b"\xfe\xff" + content.encode("utf-16-be"),
    "Windows lines": lambda content: content.replace("\n", "\r\n").encode(),
}


@pytest.mark.parametrize("name", [f"{C42}__r1.csv", f"{C42}__r1.CSV", f"{C42}.csv"])
@pytest.mark.parametrize("form", FORMS)
def test_log_in_another_form_is_judged(tmp_path: Path, form: str, name: str) -> None:
    (tmp_path / name).write_bytes(FORMS[form](text(log(HITS))))
    assert [run.verdict for run in judged(tmp_path, un152()).runs] == ["fail"]


@pytest.mark.parametrize("name", [f"{C42}__r1.csv", f"{C42}.csv", f"{C42}__r1.mf4"])
def test_empty_and_unreadable_logs_stay_runs(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"")
    if name.endswith(".mf4"):
        pytest.importorskip("asammdf", reason="pip install 'regc[mdf]'")
    judgement = judged(tmp_path, un152())
    assert ([run.verdict for run in judgement.runs], [item.code for item in judgement.findings]) == (["invalid"], ["S701"])


def test_what_is_no_log_is_named(tmp_path: Path) -> None:
    (tmp_path / "weather.csv").write_text("station,rain\n1,0\n", encoding="utf-8")
    logs, findings = read_logs([tmp_path])
    assert (logs, [item.message for item in findings]) == ([], ["not read as logs: weather.csv"])


# ---- the end of a run ----


@pytest.mark.parametrize("rate", [4.0, 5.0, 9.0])
@pytest.mark.parametrize("braking", [1.0, 1.6, 2.2, 2.8])
def test_no_aeb_model_leaves_a_run_open(braking: float, rate: float) -> None:
    suite, given = un152(), data.load(None, None, None)
    some = [item for item in suite.scenarios if "_M1_MassRun_0" in item.id and item.id.split("_")[-1][:3] in ("020", "040", "060")]
    assert len(some) == 14
    model = AebModel(warning_ttc=braking + 1.0, braking_ttc=braking, demand=rate)
    stages = [stage(item, given) for item in some]
    logs = [log_of(item, drive(item, RunParameters(aeb=model)), info_of(item, ego="external")) for item in stages]
    assert not [run.reason for run in judge(suite, logs).runs if run.verdict in ("incomplete", "invalid")]
