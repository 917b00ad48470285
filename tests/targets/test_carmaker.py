"""The CarMaker target: infofiles that a parser of their syntax reads back, and numbers that are the scenario's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from regc.model.scenario import Scenario
from regc.simulate.readlog import read_info, read_mapping
from regc.simulate.runlog import BoxInfo
from regc.targets import carmaker as target
from regc.targets._carmaker_infofile import Infofile
from tests.factories import checked, false_reactions, scenario, sweep


def parse(content: bytes) -> dict[str, str | list[str]]:
    """Reads an infofile as CarMaker does: `key = value`, `key:` with tab-indented lines, `#` comments; anything else is an error."""
    assert not content.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in content
    lines = content.decode("utf-8").split("\n")
    assert lines[0] == "#INFOFILE1.1 (UTF-8) - Do not remove this line!"
    assert lines[-1] == ""
    found: dict[str, str | list[str]] = {}
    block: list[str] | None = None
    for number, line in enumerate(lines[1:-1], 2):
        if line.startswith("\t"):
            assert block is not None, f"line {number}: a text line without a key"
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
            assert match, f"line {number}: {line!r} is no infofile line"
            assert match[1] not in found
            found[match[1]] = match[2] or ""
    return found


def write(parsed: dict[str, str | list[str]]) -> bytes:
    """The same file again, but for its comments."""
    lines = ["#INFOFILE1.1 (UTF-8) - Do not remove this line!"]
    for key, value in parsed.items():
        lines.extend([f"{key}:", *(f"\t{line}" for line in value)] if isinstance(value, list) else [f"{key} = {value}".rstrip()])
    return ("\n".join(lines) + "\n").encode()


def files(*scenarios: Scenario) -> dict[str, bytes]:
    return {artifact.path: artifact.content for artifact in target.emit(checked(*scenarios), target.Options())}


def runs_of(*scenarios: Scenario) -> dict[str, dict[str, str | list[str]]]:
    folder = "carmaker/Data/TestRun/regc/"
    return {path.removeprefix(folder): parse(content) for path, content in files(*scenarios).items() if path.startswith(folder)}


def test_every_infofile_survives_a_round_trip() -> None:
    found = files(*sweep(), *false_reactions())
    infofiles = {path: content for path, content in found.items() if "/Data/TestRun/" in path or path.endswith("OutputQuantities")}
    assert len(infofiles) == 182
    for content in infofiles.values():
        without_comments = b"\n".join(line for line in content.split(b"\n") if not line.startswith(b"##"))
        assert write(parse(content)) == without_comments
    assert found == files(*sweep(), *false_reactions())


def test_stationary_target_stands_at_the_start_gap_from_the_front() -> None:
    run = runs_of(scenario(speed="42", load="MassRun"))["UNR152-02_p6.4_CtoStC_M1_MassRun_042"]
    assert run["FileIdent"] == "CarMaker-TestRun 14"
    assert run["DrivMan.Man.Start.Velocity"] == "$SubjectSpeed=42"
    subject, lead = (float(str(run[key]).split()[0]) for key in ("Vehicle.StartPos", "Traffic.0.StartPos"))
    assert lead - (subject + 4.50) == pytest.approx(42 / 3.6 * 19.02, abs=0.002)  # rear ends: 4.50 m is the subject vehicle's length
    assert run["Traffic.0.nMan"] == "0"
    assert run["VehicleLoad.0.mass"] == "$LoadMass=0"
    assert any("5.2.1.4" in line for line in run["Description"])


def test_moving_target_keeps_its_speed_and_maximum_mass_is_a_load() -> None:
    run = runs_of(scenario("car_to_moving_car", speed="60"))["UNR152-02_p6.5_CtoMoC_M1_MaxMass_060-020"]
    assert run["Traffic.SpeedUnit"] == "ms"
    assert run["Traffic.0.Man.Start.Velocity"] == "5.555556"
    assert run["Traffic.0.Man.0.LongStep.0.Dyn"] == "VelTransition 5.555556 linear"
    assert run["VehicleLoad.0.mass"] == "$LoadMass=500"  # 1950 kg - 1450 kg


@pytest.mark.parametrize(("family", "kmh"), [("car_to_pedestrian", 5), ("car_to_bicycle", 15)])
def test_crossing_target_is_on_the_centreline_when_the_subject_arrives(family: str, kmh: int) -> None:
    item = scenario(family, speed="40")
    run = runs_of(item)[item.id]
    condition = re.fullmatch(r"rise\(([\d.]+) - Vhcl\.Fr1\.x < ([\d.]+) \* Vhcl\.v\)", str(run["Traffic.0.Man.0.StartCond"]))
    assert condition
    rows = [tuple(float(cell) for cell in line.split()) for line in run["Traffic.0.Man.0.LatStep.0.Data"]]
    times = [row[4] for row in rows]
    assert times == sorted(times)
    arrival = float(condition[2])
    before = [row for row in rows if row[4] <= arrival][-1]
    rear = before[1] + kmh / 3.6 * (arrival - before[4])
    # rear end to the point that meets the centreline: half a pedestrian, or rear overhang + crankshaft of the bicycle
    reference = 0.71 / 2 if family == "car_to_pedestrian" else 0.34 + 0.60
    assert rear + reference == pytest.approx(-1.75, abs=0.01)
    speeds = {round((later[1] - row[1]) / (later[4] - row[4]) * 3.6, 1) for row, later in zip(rows[-3:-2], rows[-2:-1], strict=True)}
    assert speeds == {float(kmh)}
    assert run["Traffic.N"] == ("2" if family == "car_to_bicycle" else "1")


def test_series_varies_within_the_tolerance_and_judges_by_the_documents_numbers() -> None:
    series = runs_of(scenario(speed="42", load="MassRun"), scenario("car_to_pedestrian", speed="45"))["un152-02.ts"]
    assert series["FileIdent"] == "CarMaker-TestSeries 14"
    assert series["Step.1.Name"] == "car_to_stationary_car"
    assert series["Step.1.0.Name"] == "regc/UNR152-02_p6.4_CtoStC_M1_MassRun_042"
    assert [series[f"Step.1.0.Var.{number}.Param"] for number in (0, 1)] == ["42 0", "41 0"]
    goods = [series[f"Step.2.0.Crit.{number}.Good"] for number in (0, 1, 2)]
    assert goods[0] == "[get ImpactSpeed] <= 15"
    assert goods[1] == "[get MaxDeceleration] >= 5"
    assert goods[2] == "[get WarningTime] > 0 && [get WarningTime] <= [get BrakingTime]"
    assert "0.8" in str(series["Step.1.0.Crit.2.Good"])
    assert "5.2.1.4" in series["Step.1.0.Crit.0.Description"][0]


def test_quantities_and_mapping_name_the_same(tmp_path: Path) -> None:
    found = files(scenario())
    stored = parse(found["carmaker/Data/Config/OutputQuantities"])["DStore.Quantities.normal"]
    path = tmp_path / "mapping.toml"
    path.write_bytes(found["carmaker/mapping.toml"])
    mapping = read_mapping(path)
    assert {column.column for column in mapping.columns.values()} <= set(stored)


def test_mapping_has_the_boxes_of_each_category_and_target(tmp_path: Path) -> None:
    bicycle = scenario("car_to_bicycle", speed="40")
    walker = scenario("car_to_pedestrian", category="N1", speed="40")
    car = scenario(speed="42")
    path = tmp_path / "mapping.toml"
    path.write_bytes(files(bicycle, walker, car)["carmaker/mapping.toml"])
    mapping = read_mapping(path)
    infos = {item.id: read_info(tmp_path / f"{item.id}__r1.csv", mapping, "log") for item in (bicycle, walker, car)}
    boxes = {id: (info.subject_box, info.target_box, info.target_reference) for id, info in infos.items()}
    # lengths of the built-in bodies; the reference point of a body is its rear end, a bicycle is measured at its crankshaft
    m1, n1 = BoxInfo(length=4.5, width=1.8, forward=2.25), BoxInfo(length=5.4, width=2.0, forward=2.7)
    assert boxes[car.id] == (m1, BoxInfo(length=4.7, width=1.8, forward=2.35), 2.35)
    assert boxes[walker.id] == (n1, BoxInfo(length=0.71, width=0.5, forward=0.355), 0.355)
    assert boxes[bicycle.id] == (m1, BoxInfo(length=1.89, width=0.6, forward=0.945), pytest.approx(0.34 + 0.60))


def test_what_is_not_driven_is_named() -> None:
    found = files(scenario(), *false_reactions())
    assert sum(path.startswith("carmaker/not_driven/") for path in found) == 4


def test_writer_refuses_what_would_break_the_syntax() -> None:
    file = Infofile("X 1", "regc")
    file.set("A.0", "1")
    for wrong in (lambda: file.set("A.0", "2"), lambda: file.set("A B", "1"), lambda: file.set("C", "one\ntwo")):
        with pytest.raises(ValueError, match=r"A\.0|A B|C"):
            wrong()
