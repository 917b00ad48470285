"""The checker itself: it must see what is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import factories
from tests.targets import check_geometry
from tests.targets.files import write


@pytest.fixture
def pedestrian(tmp_path: Path) -> Path:
    scenario = factories.scenario("car_to_pedestrian", speed="40")
    return write(tmp_path, factories.checked(scenario))[scenario.id]


def _change(path: Path, pattern: str, to: str, count: int = 0) -> None:
    text, found = re.subn(pattern, to, path.read_text(encoding="utf-8"), count=count)
    assert found
    path.write_text(text, encoding="utf-8")


def test_late_start_is_seen(pedestrian: Path) -> None:
    good = check_geometry.measure(pedestrian)
    _change(pedestrian, r'(?s)(TimeToImpactPosition.*?TimeToCollisionCondition value=")4"', r'\g<1>3.5"')
    bad = check_geometry.measure(pedestrian)
    assert abs(good.contact_offset or 0) < 0.02
    assert bad.contact_offset == pytest.approx(-0.5 * 5 / 3.6, abs=0.03)


def test_wrong_gap_is_seen(pedestrian: Path) -> None:
    _change(pedestrian, r'x="50"', 'x="60"')
    assert check_geometry.measure(pedestrian).straight_time == pytest.approx(2.0)
    # 10 m at 40 km/h are 0.9 s: the functional part can only begin when its time to collision is too small
    assert (check_geometry.measure(pedestrian).ttc_at_functional_part or 9) < 3.2


def test_speed_without_path_is_seen(pedestrian: Path) -> None:
    text = pedestrian.read_text(encoding="utf-8")
    without = re.sub(r'(?s)<Action name="Path">.*?</Action>', "", text)
    pedestrian.write_text(without.replace('h="1.570796"', 'h="0"'), encoding="utf-8")
    assert check_geometry.measure(pedestrian).contact_time is None


@pytest.mark.parametrize(
    ("pattern", "to"),
    [
        ('rule="lessThan"', 'rule="lessOrEqual"'),
        ('conditionEdge="none"', 'conditionEdge="rising"'),
        ('freespace="true"', 'freespace="false"'),
        ("StandStillCondition", "EndOfRoadCondition"),
        ('value="4.02"', 'value="$ttc"'),
    ],
)
def test_unknown_content_is_refused(pedestrian: Path, pattern: str, to: str) -> None:
    _change(pedestrian, pattern, to)
    with pytest.raises((ValueError, KeyError)):
        check_geometry.measure(pedestrian)
