"""The CarMaker target: infofiles that a parser of their syntax reads back, and numbers that are the stage's."""

from __future__ import annotations

import csv
import itertools
import math
import re
from pathlib import Path
from typing import Any

import pytest

from regc.errors import DataFileError
from regc.manoeuvres import stage as lay_out
from regc.model.criterion import Criterion
from regc.model.stage import Leg, Moment, Pose, Staged
from regc.model.value import Comparison, Stated, Word
from regc.motion import play
from regc.runs.mapping import read_mapping
from regc.targets import carmaker as target
from regc.targets.carmaker.syntax import NoExpression, expression
from regc.targets.carmaker.testrun import criteria, runs, way
from tests.manoeuvres.examples import EXAMPLES
from tests.manoeuvres.factory import NO_CONTACT, criterion, number
from tests.targets.factory import DATA, one, scenario, staged, suite

QUANTITIES = {"warning": "Warns", "braking": "Brakes"}
Parsed = dict[str, str | list[str]]


def parse(content: bytes) -> Parsed:
    """Reads an infofile as CarMaker does: `key = value`, `key:` with tab-indented lines, `#` comments; anything else is an error."""
    assert not content.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in content
    lines = content.decode("utf-8").split("\n")
    assert lines[0] == "#INFOFILE1.1 (UTF-8) - Do not remove this line!"
    assert lines[-1] == ""
    found: Parsed = {}
    block: list[str] | None = None
    for line in lines[1:-1]:
        if line.startswith("\t"):
            assert block is not None, line
            block.append(line[1:])
            continue
        block = None
        if line.startswith("#"):
            continue
        if match := re.fullmatch(r"([A-Za-z_][\w.]*):", line):
            block = []
            assert match[1] not in found
            found[match[1]] = block
        else:
            match = re.fullmatch(r"([A-Za-z_][\w.]*) =(?: (\S.*))?", line)
            assert match, line
            assert match[1] not in found
            found[match[1]] = match[2] or ""
    return found


def files(*names: str, **options: Any) -> dict[str, bytes]:
    tests, stages = staged(*names, ego="external")
    return {item.path: item.content for item in target.emit(tests, stages, target.Options(**options))}


def run_of(name: str, **options: Any) -> Parsed:
    return parse(files(name, **options)[f"carmaker/Data/TestRun/regc/{one(name).stem}"])


def test_every_file_is_an_infofile_or_says_why_there_is_none() -> None:
    found = files()
    read = [parse(content) for path, content in found.items() if "/Data/TestRun/" in path or path.endswith("OutputQuantities")]
    driven = sum(path.startswith("carmaker/Data/TestRun/") and not path.endswith(".ts") for path in found)
    assert len(read) == driven + 2
    assert driven == len(EXAMPLES)
    assert found == files()


def test_standing_target_stands_at_the_gap_of_the_stage() -> None:
    stage, run = one("standing car", "external"), run_of("standing car")
    subject, lead = (float(str(run[key]).split()[0]) for key in ("Vehicle.StartPos", "Traffic.0.StartPos"))
    gap = stage.others[0].start.x - stage.subject.start.x - stage.subject.box.front - 0.6835  # rear overhang of the car target
    assert lead - (subject + 4.50) == pytest.approx(gap, abs=1e-5)  # rear ends: 4.50 m is the subject vehicle's length
    assert run["FileIdent"] == "CarMaker-TestRun 14"
    assert run["DrivMan.Man.Start.Velocity"] == "$SubjectSpeed=60"
    assert run["Traffic.0.nMan"] == "0"


def test_the_vehicle_has_a_driver_a_gear_and_its_load() -> None:
    run = run_of("standing car")
    assert (run["Vehicle.DriverTemplate.FName"], run["DrivMan.Man.Start.GearNo"]) == ("Car_Normal", "4")
    assert run["VehicleLoad.0.mass"] == "$LoadMass=0"
    heavy = scenario("standing car").model_copy(update={"conditions": {"mass": Word(word="max")}})
    tests = suite([heavy])

    made = target.emit(tests, Staged(stages=(lay_out(heavy, DATA),)), target.Options())
    run = parse(next(item.content for item in made if item.path.endswith("/standing_car")))
    assert run["VehicleLoad.0.mass"] == "$LoadMass=500"  # 1950 kg - 1450 kg


@pytest.mark.parametrize("name", ["child", "bicycle", "adult from the left", "hidden child"])
def test_crossing_target_meets_the_impact_point(name: str) -> None:
    stage, run = one(name, "external"), run_of(name)
    target_ = stage.others[0]
    condition = str(run["Traffic.0.Man.0.StartCond"])
    front = stage.impact.x - stage.subject.box.length if stage.impact else 0.0
    assert f"({front:.6f}".rstrip("0") in condition
    ttc = float(re.findall(r"< ([\d.]+) \* Vhcl\.v", condition)[-1])
    assert ttc == pytest.approx(target_.begins.value)
    rows = [tuple(float(cell) for cell in line.split()) for line in run["Traffic.0.Man.0.LatStep.0.Data"]]
    times = [row[4] for row in rows]
    assert times == sorted(times)
    before = [row for row in rows if row[4] <= ttc][-1]
    after = rows[rows.index(before) + 1]
    share = (ttc - before[4]) / (after[4] - before[4])
    y = before[1] + share * (after[1] - before[1])
    direction = math.sin(target_.start.heading)
    measured = y + direction * (target_.box.length - target_.box.front + target_.box.reference)
    assert measured == pytest.approx(stage.impact.y if stage.impact else None, abs=0.05)


def test_braking_lead_follows_the_played_trajectory() -> None:
    stage, run = one("braking lead", "external"), run_of("braking lead")
    rows = [tuple(float(cell) for cell in line.split()) for line in run["Traffic.0.Man.0.LatStep.0.Data"]]
    played = play(stage, until=max(end.value for end in stage.end if end.kind == "time"), to_end=False)
    track, back = played.tracks["target"], stage.others[0].box.length - stage.others[0].box.front
    for x, _, _, _, time in rows[:-1:8]:
        assert x == pytest.approx(float(track.x[round(time / stage.step)]) - back, abs=1e-3)
    assert rows[-1][0] == rows[-2][0]  # it stands


def points_of(run: Parsed) -> list[tuple[float, float, float]]:
    """x, y and heading in degrees of the subject vehicle's rear end along its way."""
    rows = [[float(cell) for cell in line.split()] for line in run["DrivMan.Man.0.LatStep.0.Data"]]
    assert all(z == 0.0 for _, _, z, _ in rows)
    return [(x, y, turn) for x, y, _, turn in rows]


@pytest.mark.parametrize("name", ["pedestrian after a turn", "drift left", "oncoming car", "lane change before a sign"])
def test_a_way_out_of_the_lane_is_driven_by_points_beside_the_speed(name: str) -> None:
    stage, run = one(name, "external"), run_of(name)
    assert (run["DrivMan.Man.0.LatStep.0.Dyn"], run["DrivMan.Man.0.LatStep.0.TimeChan"]) == ("FollowTraj", "0")
    counts = [[run[f"DrivMan.Man.{man}.n{kind}Steps"] for kind in ("Long", "Lat")] for man in range(int(str(run["DrivMan.nMan"])))]
    assert counts == [["0", "1"], *[["1", "0"]] * (len(counts) - 1)]  # the way lasts through all changes of the speed
    assert run["DrivMan.Man.1.LongStep.0.Dyn"] == f"VelControl {run['DrivMan.Man.Start.Velocity']} 0.0 1.0 0 1 0"
    points, rear = points_of(run), stage.subject.box.rear
    assert f"{points[0][0]:g} {points[0][1]:g} 0" == run["Vehicle.StartPos"]
    driven = sum(math.hypot(b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(points))
    last = max(end.value for end in stage.end if end.kind == "time")
    assert driven > stage.subject.speed * last * 0.98  # to the last bound
    axles = [(x + rear * math.cos(math.radians(turn)), y + rear * math.sin(math.radians(turn))) for x, y, turn in points]
    track = play(stage, until=last, to_end=False).tracks["subject"]
    for sample in range(0, track.x.size, 100):  # each place of the played way lies on the line through the points
        assert min(_beside(a, b, (track.x[sample], track.y[sample])) for a, b in itertools.pairwise(axles)) < 0.02


def _beside(a: tuple[float, float], b: tuple[float, float], point: tuple[float, float]) -> float:
    """The distance of a point from a line between two others."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    along = max(0.0, min(1.0, ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / (dx * dx + dy * dy)))
    return math.hypot(point[0] - a[0] - along * dx, point[1] - a[1] - along * dy)


def test_a_quarter_turn_of_ten_metres() -> None:
    """By hand: from (30, 0) along x to (40, 0), then around (40, 10) to (50, 10), then 20 m of the 25 m that 5 m/s lead in 9 s."""
    axle = one("standing car").subject
    legs = (Leg(length=10), Leg(length=math.pi * 5, curvature=0.1))
    mover = axle.model_copy(update={"start": Pose(x=30, y=0), "path": legs, "speed": 5.0})
    points, rear = way(mover, 9.0), mover.box.rear
    assert points[0] == pytest.approx((30 - rear, 0, 0))
    assert points[1] == pytest.approx((40 - rear, 0, 0))
    assert all(math.hypot(x - 40, y - 10) == pytest.approx(math.hypot(10, rear)) for x, y, _ in points[1:-1])
    assert points[-2] == pytest.approx((50, 10 - rear, 90))
    assert points[-1] == pytest.approx((50, 10 - rear + 45 - 10 - math.pi * 5, 90))


def test_manual_braking_is_a_manoeuvre_of_the_driver() -> None:
    stage, run = one("steel plate", "external"), run_of("steel plate")
    assert int(str(run["DrivMan.nMan"])) == len(stage.driver) + 2
    braking = next(key for key, value in run.items() if str(value).startswith("VelTransition 0 linear"))
    seconds = float(str(run[braking.replace("Dyn", "TimeLimit")]))
    assert seconds == pytest.approx(80 / 3.6 / (0.4 * 9.80665), abs=0.01)


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        (Moment(kind="time", value=3.5), "Time > 3.5"),
        (Moment(kind="event", to="warning"), "Warns > 0"),
        (Moment(kind="speed", value=2.0), "Vhcl.v <= 2"),
        (Moment(kind="travelled", of="subject", value=40.0), "Vhcl.Distance >= 40"),  # since the start, wherever the road begins
        (Moment(kind="headway", to="target", value=2.0), " < 2 * Vhcl.v"),
        (Moment(kind="ttc", to="target", value=4.0), "(Vhcl.v - Traffic.Target.LongVel)"),
    ],
)
def test_moments_as_expressions(moment: Moment, said: str) -> None:
    assert said in expression(one("slower car"), moment, QUANTITIES)


def test_a_gap_along_the_road_is_none_of_a_vehicle_that_turns() -> None:
    with pytest.raises(NoExpression, match="a subject vehicle that turns"):
        expression(one("oncoming car"), Moment(kind="ttc", of="subject", to="target", value=2.0), QUANTITIES)


def test_what_has_no_expression_is_told() -> None:
    for moment in (Moment(kind="time", delay=1.0), Moment(kind="event", to="nothing"), Moment(kind="speed", of="target")):
        with pytest.raises(NoExpression):
            expression(one("slower car"), moment, QUANTITIES)


LIMIT = criterion("impact", "measure", signal="impact_speed", sign="<=", limit="25 km/h")
LEAD = criterion("warning", "before", a="warning", b="braking", by="0.8 s")
DEMAND = criterion("demand", "measure", signal="braking_demand", sign=">=", limit="5.0 m/s2")
ABOVE = Comparison(left=number("42 km/h"), sign=">", right=number("40 km/h"))


@pytest.mark.parametrize(
    ("asked", "good"),
    [
        (LIMIT, "[get ImpactSpeed] <= 25"),
        (DEMAND, "[get MaxDeceleration] >= 5"),
        (LEAD, "[get WarningTime] > 0 && [get BrakingTime] - [get WarningTime] >= 0.8"),
        (NO_CONTACT, "[get Contacts] == 0"),
        (LEAD.model_copy(update={"only_if": (ABOVE,)}), None),
        (NO_CONTACT.model_copy(update={"unless": Stated(reason="cannot be anticipated")}), None),
        (criterion("offset", "measure", signal="line_distance", sign="<=", limit="0.3 m"), None),
        (criterion("modes", "measure", signal="warning_modes", sign=">=", limit="2 "), None),
    ],
)
def test_only_criteria_that_hold_in_every_run_are_written(asked: Criterion, good: str | None) -> None:
    written, left = criteria([asked])
    assert [one.good for one in written] == ([] if good is None else [good])
    assert len(left) == (good is None)


def test_series_has_the_runs_of_the_test_and_its_places() -> None:
    series = parse(files("standing car")["carmaker/Data/TestRun/regc/made-1.ts"])
    assert series["Step.1.0.Name"] == "regc/standing_car"
    assert [series[f"Step.1.0.Var.{count}.Param"] for count in (0, 1)] == ["60 0", "59 0"]
    assert series["Step.1.0.Crit.0.Good"] == "[get ImpactSpeed] <= 25"
    assert series["Step.1.0.Crit.0.Description"] == ["made 1"]
    test = scenario("standing car").model_copy(update={"runs": {"count": number("2 "), "repeats": number("1 ")}})
    assert [name for name, _ in runs(test, one("standing car"))] == [
        "run 1: nominal speed",
        "run 2: within the tolerance",
        "repeat 1, where the test allows it",
    ]


def test_assumptions_are_comments_with_their_codes() -> None:
    content = files("child")["carmaker/Data/TestRun/regc/child"].decode()
    lines = [line for line in content.splitlines() if line.startswith("# assumed ")]
    assert len(lines) == len(one("child", "external").assumed)
    assert all(re.match(r"# assumed A8\d\d: \S+ = .* \(.+\)", line) for line in lines)


def test_straight_road_inside_the_testrun() -> None:
    assert run_of("child")["Road.FName"] == "regc/straight.rd5"
    run = run_of("child", road_in_testrun=True)
    assert "Road.FName" not in run
    assert run["Road.Link.0.Seg.0.Type"] == "Straight"
    assert run["Road.Link.0.LaneSection.0.LaneR.0"] == "0 3.5 3.5 0 0 0 0"
    assert float(str(run["Road.Link.0.Node0"]).split()[1]) == 1.75  # the reference line: left edge of the lane whose middle is y = 0


def test_mapping_and_quantities_name_the_same(tmp_path: Path) -> None:
    found = files()
    stored = parse(found["carmaker/Data/Config/OutputQuantities"])["DStore.Quantities.normal"]
    path = tmp_path / "mapping.toml"
    path.write_bytes(found["carmaker/mapping.toml"])
    mapping = read_mapping(path)
    assert {column.column for column in mapping.columns.values()} <= set(stored)
    bicycle = next(item for item in mapping.bodies if "bicycle" in item.scenarios)
    assert bicycle.target_reference == pytest.approx(0.34 + 0.60)  # rear overhang and crankshaft, from the rear end


def test_readme_and_left_out_say_what_to_bring() -> None:
    found = files("standing car")
    text = found["carmaker/README.md"].decode()
    assert "Nobody ran these files" in text
    assert "CarMaker 11, 13, 14 and 15" in text
    rows = list(csv.reader(found["carmaker/left_out.csv"].decode().splitlines()))
    assert {"vehicle data sets", "friction", "roads as .rd5"} <= {row[0] for row in rows}


def test_own_data_sets(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[parts]\nM1 = "Mine/Car"\n[masses]\n"Mine/Car" = 1400\n', encoding="utf-8")
    run = run_of("standing car", data_sets=own)
    assert (run["Vehicle"], run["VehicleLoad.0.mass"]) == ("Mine/Car", "$LoadMass=50")
    own.write_text("[parts\n", encoding="utf-8")
    with pytest.raises(DataFileError, match=r"own\.toml"):
        run_of("standing car", data_sets=own)
