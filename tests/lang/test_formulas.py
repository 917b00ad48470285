"""A formula of the document over several types: what it is worth, where its parts stand, and that it is calculated again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from regc.lang.faults import ProfileError
from regc.model.value import Value
from regc.pipeline.build import build, compile_regulation
from regc.pipeline.request import Request
from regc.verify import verify

TEXT = """# Rules of the Eastern Harbour on lane guides

# 1. Scope

These rules hold for tow tractors.

# 2. What is asked

2.1. The lowest speed of the guide is v = √(a · R), in which a is the lateral acceleration of 3 m/s² and R is the radius of the bend
of 27 m.

2.2. The warning shall come where the way that is left is d = v · t + v² / (2a), in which the time t is 1.5 s and the deceleration a
is 4 m/s². Where the quay is wet, a is at most 2 m/s².

2.3. The guide shall not let the tractor cross the line.

# 3. How it is tried

3.1. The tractor shall be driven towards a stationary trailer at the lowest speed, from the way d.
"""
PROFILE = """id = "eastern"
edition = "1st"
stem = "E1"
title = "Eastern Harbour Rules"
text = "rules.md"
covers = ["tractor [1: tow tractors]"]
scope = ["2", "3"]

[let]
lowest = "{lowest}"
way = "{way}"

[[test]]
name = "bend"
at = "3.1"
req = "2.3"
manoeuvre = "in_lane"
bind.subject = "lowest"
bind.gap = "way"
bind.target = "[at: _ trailer]"
actors.target = "object [at: trailer]"
require.line = {{ is = "no line_crossed", said = "[req: cross]" }}
"""
LOWEST = "sqrt(acceleration([2.1: acceleration of]) * length([2.1: bend]))"
TIME, BRAKING = "time([2.2: time t is])", "acceleration([2.2: deceleration a])"
WAY = f"lowest * {TIME} + lowest ** 2 / (constant(2, [2.2: v² /]) * {BRAKING})"


def harbour(folder: Path, lowest: str = LOWEST, way: str = WAY) -> Request:
    (folder / "rules.md").write_text(TEXT, "utf-8")
    (folder / "profile.toml").write_text(PROFILE.format(lowest=lowest, way=way), "utf-8")
    return Request(str(folder))


def bound(folder: Path, lowest: str = LOWEST, way: str = WAY) -> dict[str, Value]:
    (test,) = compile_regulation(harbour(folder, lowest, way)).suite.scenarios
    return {name: held for name, held in test.bind.items() if isinstance(held, Value)}


def test_a_speed_from_an_acceleration_and_a_radius(tmp_path: Path) -> None:
    held = bound(tmp_path)["subject"]
    # √(3 · 27) = 9 m/s
    assert (str(held.lo), held.unit, held.formula) == ("9", "m/s", "sqrt(3 m/s2 * 27 m)")
    assert [(source.clause, source.quote[source.at :][:6]) for source in held.sources] == [("2.1", "3 m/s²"), ("2.1", "27 m.")]


def test_a_way_with_a_constant_of_the_formula(tmp_path: Path) -> None:
    held = bound(tmp_path)["gap"]
    # 9 · 1.5 + 81 / (2 · 4) = 23.625 m
    assert (str(held.lo), held.unit) == ("23.625", "m")
    assert [source.quote[source.at :].split()[0] for source in held.sources] == ["3", "27", "1.5", "2a),", "4"]


@pytest.mark.parametrize(
    ("way", "code", "says"),
    [
        (f"lowest * {BRAKING}", "E402", "nothing has the dimension of"),
        (f"lowest + {BRAKING}", "E402", "a speed is wanted"),
        (f"sqrt({BRAKING})", "E402", "has no square root"),
        (f"lowest ** 2 / (2 * {BRAKING})", "E401", "2 has no place"),
        (f"lowest ** 2 / (constant(3, [2.2: v² /]) * {BRAKING})", "L203", "has no 3"),
        ("constant(2, lowest) * length([2.1: bend])", "E400", "constant takes a number and the place"),
        ("length(lowest)", "E400", "length takes one place"),
        ("lenght([2.1: bend])", "P101", "no function 'lenght'"),
        ("length([2.2: time t is])", "L203", "no length"),
        (f"lowest ** 2 / at_least(acceleration([2.2: wet, a is])) - at_most({TIME}) * lowest", "E407", "opposite"),
    ],
)
def test_what_is_no_formula(way: str, code: str, says: str, tmp_path: Path) -> None:
    try:
        (told,) = [item for item in compile_regulation(harbour(tmp_path, way=way)).suite.findings if item.severity == "error"]
    except ProfileError as error:  # a fault of the profile alone
        told = error.finding()
    assert told.code == code
    assert says in told.message


def test_its_bound_is_that_of_its_parts(tmp_path: Path) -> None:
    # v² / (2a) with a ≤ 2 m/s²: at least 81 / 4 = 20.25 m
    held = bound(tmp_path, way="lowest ** 2 / (constant(2, [2.2: v² /]) * acceleration([2.2: wet, a is]))")["gap"]
    assert (str(held.lo), held.bound) == ("20.25", "ge")


def test_a_changed_result_is_calculated_again(tmp_path: Path) -> None:
    built = build(harbour(tmp_path), tmp_path / "out")
    assert verify(built.folder, built.compiled.document).differences == ()
    file = built.folder / "scenarios.json"
    data = json.loads(file.read_text("utf-8"))
    data["scenarios"][0]["bind"]["gap"]["lo"] = data["scenarios"][0]["bind"]["gap"]["hi"] = "24.625"
    file.write_text(json.dumps(data), "utf-8")
    told = [item for item in verify(built.folder, built.compiled.document).differences if item.code == "V562"]
    assert any("is 23.625 m" in item.held for item in told)
