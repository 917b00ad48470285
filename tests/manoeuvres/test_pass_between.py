"""Between two standing vehicles: the gap, the distance, and that nothing is touched."""

from __future__ import annotations

import pytest
from tests.manoeuvres.factory import NO_BRAKING, NO_WARNING, made

from regc.errors import StagingError
from regc.manoeuvres import stage
from regc.manoeuvres.data import load
from regc.manoeuvres.plan import Options
from regc.motion import corners, play

DATA = load()
BIND = {"subject": "50 km/h +2/-2", "approach_distance": ">=60 m", "gap_between": "4.5 m"}
PAIR = {"pair": "car"}


def test_the_vehicle_drives_its_distance_and_passes_in_the_middle() -> None:
    staged = stage(made("pass_between", BIND, PAIR, covers=["N3"], require=(NO_WARNING, NO_BRAKING)), DATA)
    left, right = staged.things
    inner = (min(y for _, y in corners(left.box, left.start)), max(y for _, y in corners(right.box, right.start)))
    assert inner == (pytest.approx(2.25), pytest.approx(-2.25))
    run = play(staged)
    begin = run.at("functional_part")
    assert 60.0 <= run.seen("subject", "pair_left", begin).gap <= 60.0 + 0.02 * 50 / 3.6
    assert run.contact is None
    assert run.end is not None
    assert run.end.kind == "passed"
    # the rear of the subject vehicle is past the front of the pair
    assert 0 <= run.seen("subject", "pair_left", -1).rear < 0.2


def test_a_time_to_collision_says_where_it_begins() -> None:
    run = play(stage(made("pass_between", {"subject": "80 km/h", "ttc": "5 s", "gap_between": "4.5 m"}, PAIR), DATA))
    assert 5.0 <= run.seen("subject", "pair_left", run.at("functional_part")).ttc <= 5.02


def test_a_driver_who_brakes_releases_first() -> None:
    bind = {"subject": "80 km/h", "ttc": "5 s", "gap_between": "4.5 m"}
    bind |= {"release_ttc": "2.1 s", "brake_ttc": "1.1 s", "brake_deceleration": "0.4 g"}
    run = play(stage(made("pass_between", bind, PAIR), DATA))
    assert run.seen("subject", "pair_left", run.at("accelerator_released")).ttc == pytest.approx(2.1, abs=0.011)
    assert run.seen("subject", "pair_left", run.at("driver_brakes")).ttc == pytest.approx(1.1, abs=0.011)


@pytest.mark.parametrize(("ego", "acts"), [("none", False), ("reference", False), ("late", True)])
def test_the_reference_does_nothing_where_nothing_is_wanted(ego: str, acts: bool) -> None:
    staged = stage(made("pass_between", BIND, PAIR, require=(NO_WARNING, NO_BRAKING)), DATA, Options(ego=ego))  # type: ignore[arg-type]
    run = play(staged)
    assert ("warning" in run.events, "braking" in run.events) == (acts, acts)


def test_a_gap_too_narrow_is_refused() -> None:
    with pytest.raises(StagingError, match=r"2.55 m wide does not fit through 2.5 m"):
        stage(made("pass_between", BIND | {"gap_between": "2.5 m"}, PAIR, covers=["N3"]), DATA)
