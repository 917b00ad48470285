"""Other people's tools on our files: the ASAM checkers and a player. Each is skipped by name where it is not installed.

The checkers pin old libraries, so they may live in an environment of their own: REGC_QC names the folder of its programs.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import pytest

from tests import factories
from tests.targets import check_geometry, check_manoeuvre
from tests.targets.files import write
from tests.targets.test_openscenario_files import PICKED

PROGRAMS = os.environ.get("REGC_QC")
CHECKERS = {suffix: shutil.which(f"qc_{name}", path=PROGRAMS) for suffix, name in (("xosc", "openscenario"), ("xodr", "opendrive"))}
PLAYER = shutil.which(os.environ.get("ESMINI", "esmini"))

#: what a checker may leave out, and why
NO_STORYBOARD = {  # catalogues and variations have no entities, road or storyboard
    "check_asam_xosc_reference_control_resolvable_signal_id_in_traffic_signal_state_action",
    "check_asam_xosc_reference_control_resolvable_traffic_signal_controller_by_traffic_signal_controller_ref",
    "check_asam_xosc_reference_control_resolvable_entity_references",
    "check_asam_xosc_reference_control_resolvable_variable_reference",
    "check_asam_xosc_reference_control_resolvable_storyboard_element_reference",
}
BEFORE_1_2 = NO_STORYBOARD | {  # rules that 1.2 introduced
    "check_asam_xosc_reference_control_uniquely_resolvable_entity_references",
    "check_asam_xosc_reference_control_valid_actor_reference_in_private_actions",
    "check_asam_xosc_reference_control_unique_element_names_on_same_level",
    "check_asam_xosc_parameters_valid_parameter_declaration_in_catalogs",
    "check_asam_xosc_data_type_allowed_operators",
    "check_asam_xosc_data_type_non_negative_transition_time_in_light_state_action",
    "check_asam_xosc_positive_duration_in_phase",
}
ROAD = {"check_asam_xodr_junctions_connection_one_link_to_incoming"}  # from OpenDRIVE 1.8


def _check(path: Path, work: Path) -> tuple[set[str], list[str]]:
    """The checks that were skipped, and every issue."""
    kind = path.suffix[1:]
    program = CHECKERS[kind]
    assert program
    result = work / "result.xqar"
    config = work / "config.xml"
    bundle = f'<CheckerBundle application="{kind}Bundle"><Param name="resultFile" value="{result}"/></CheckerBundle>'
    config.write_text(f'<Config><Param name="InputFile" value="{path}"/>{bundle}</Config>', encoding="utf-8")
    subprocess.run([program, "-c", str(config)], check=True, capture_output=True, cwd=work, timeout=60)
    checks = list(ET.parse(result).iter("Checker"))
    assert len(checks) >= 15
    assert {check.attrib["status"] for check in checks} <= {"completed", "skipped"}
    issues = [f"{check.attrib['checkerId']}: {issue.attrib['description']}" for check in checks for issue in check.iter("Issue")]
    return {check.attrib["checkerId"] for check in checks if check.attrib["status"] == "skipped"}, issues


@pytest.mark.skipif(not all(CHECKERS.values()), reason='needs the ASAM checkers: pip install "regc[qc]", or REGC_QC=FOLDER')
@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2", "1.3"])
def test_asam_checkers_find_nothing(tmp_path: Path, version: str) -> None:
    ego = {"1.0": "none", "1.1": "late", "1.2": "external", "1.3": "reference"}[version]
    picked = (*PICKED, *factories.false_reactions()) if version == "1.3" else PICKED
    write(tmp_path / "out", factories.checked(*picked), osc_version=version, ego=ego)
    files = sorted(path for path in (tmp_path / "out").rglob("*.x*") if path.suffix in (".xosc", ".xodr"))
    assert len(files) >= 8
    for path in files:
        skipped, issues = _check(path, tmp_path)
        assert not issues, path.name
        if path.suffix == ".xodr":
            assert skipped <= ROAD, path.name
        elif version in ("1.0", "1.1"):
            assert skipped <= BEFORE_1_2, path.name
        else:
            assert skipped <= (set() if path.parent.name in ("concrete", "logical") else NO_STORYBOARD), path.name


def _play(path: Path, work: Path, *more: str) -> tuple[list[tuple[float, dict[str, dict[str, float]]]], dict[str, float], str]:
    """Rows of the player's log (time, entity -> quantity), the times of events, and its messages."""
    assert PLAYER
    command = [PLAYER, "--osc", str(path), "--headless", "--fixed_timestep", "0.01", "--csv_logger", str(work / "log.csv"), *more]
    done = subprocess.run(command, capture_output=True, text=True, cwd=work, timeout=60)
    messages = done.stdout + done.stderr
    assert done.returncode == 0, messages[-500:]
    rows = []
    names = ("speed", "l", "w", "cx", "x", "y", "h")
    places = (2, 8, 9, 5, 11, 12, 24)
    for line in (work / "log.csv").read_text().splitlines():
        if line[:1].isdigit():
            cells = [cell.strip() for cell in line.split(",")]
            body = cells[2:]
            blocks = [body[k : k + 31] for k in range(0, len(body) - 29, 31)]
            entities = {block[0]: {n: float(block[p]) for n, p in zip(names, places, strict=True)} for block in blocks}
            rows.append((float(cells[1]), entities))
    times = {name: float(at) for at, name in re.findall(r"\[([\d.]+)\] \[info\] (\w+) standbyState -> startTransition", messages)}
    return rows, times, messages


def _extent(entity: dict[str, float]) -> tuple[float, float, float, float]:
    c, s = math.cos(entity["h"]), math.sin(entity["h"])
    x, y = entity["x"] + c * entity["cx"], entity["y"] + s * entity["cx"]
    half = [abs(c) * entity[a] / 2 + abs(s) * entity[b] / 2 for a, b in (("l", "w"), ("w", "l"))]
    return x - half[0], x + half[0], y - half[1], y + half[1]


def _contact(rows: list[tuple[float, dict[str, dict[str, float]]]]) -> int | None:
    for number, (_, now) in enumerate(rows):
        a, b = _extent(now["Ego"]), _extent(now["Target"])
        if a[0] <= b[1] and b[0] <= a[1] and a[2] <= b[3] and b[2] <= a[3]:
            return number
    return None


@pytest.mark.skipif(PLAYER is None, reason="needs esmini on PATH, or ESMINI=PROGRAM")
@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2", "1.3"])
def test_player_shows_what_the_checker_calculates(tmp_path: Path, version: str) -> None:
    for ego in ("none", "reference"):
        files = write(tmp_path / ego, factories.checked(*PICKED), osc_version=version, ego=ego)
        for scenario in PICKED:
            rows, times, messages = _play(files[scenario.id], tmp_path)
            assert "[error]" not in messages, scenario.id
            expected = check_geometry.measure(files[scenario.id])
            hit = _contact(rows)
            assert (hit is None) == (expected.contact_time is None), (scenario.id, ego)
            assert times["FunctionalPart"] == pytest.approx(expected.straight_time, abs=0.0201)
            assert rows[-1][0] == pytest.approx(expected.stop_time, abs=0.1)
            if hit is None:
                continue
            before, now = rows[hit - 1][1], rows[hit][1]
            target = before["Target"]
            impact = before["Ego"]["speed"] - target["speed"] * math.cos(target["h"])
            assert rows[hit][0] == pytest.approx(expected.contact_time, abs=0.0301)
            assert impact == pytest.approx(expected.impact_speed, abs=0.1 / 3.6 if ego == "none" else 0.2)
            if ego == "none" and scenario.approach_type == "crossing":
                reference = check_geometry.Player(files[scenario.id]).entities["Target"].box.reference
                offset = now["Target"]["y"] + math.sin(now["Target"]["h"]) * reference - now["Ego"]["y"]
                assert abs(offset) <= 0.1


@pytest.mark.skipif(PLAYER is None, reason="needs esmini on PATH, or ESMINI=PROGRAM")
def test_player_drives_the_manoeuvres_without_contact(tmp_path: Path) -> None:
    for stem, path in write(tmp_path, factories.checked(*factories.false_reactions())).items():
        rows, times, messages = _play(path, tmp_path)
        expected = check_manoeuvre.measure(path)
        assert "[error]" not in messages, stem
        assert "Collision between" not in messages, stem
        assert "SteeringBegins" in times, stem
        assert min(row["Ego"]["speed"] for _, row in rows) == pytest.approx(expected.least_speed, abs=0.01), stem
        driven = sum(math.dist((a["Ego"]["x"], a["Ego"]["y"]), (b["Ego"]["x"], b["Ego"]["y"])) for (_, a), (_, b) in pairwise(rows))
        assert driven == pytest.approx(expected.distance_driven, abs=0.3), stem
