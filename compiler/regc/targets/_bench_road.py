"""The straight road of a bench target: long enough for every run of the build."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from regc.model.result import Checked
from regc.targets import _roads
from regc.targets._osc_formula import Value
from regc.targets._osc_values import Setup, Values


def straight_road(checked: Checked, runs: Iterable[tuple[Values, Mapping[str, Value]]], setup: Setup) -> bytes:
    """OpenDRIVE for all runs: each a scenario's numbers and their values."""
    farthest, friction = Decimal(0), None
    for numbers, known in runs:

        def number(name: str, known: Mapping[str, Value] = known) -> Decimal:
            return Decimal(str(known[name]))

        target_way = Decimal(0) if numbers.crossing else number("end_time") * number("prescribed_target_speed")
        farthest = max(
            farthest, number("subject_x") + number("end_time") * number("subject_test_speed"), number("target_x") + target_way
        )
        if "peak_braking_coefficient" in known:
            friction = number("peak_braking_coefficient")
    length = _roads.needed_length(setup.track.road, farthest)
    return _roads.straight(
        setup.track.road,
        length,
        friction,
        setup.track.environment.slope / 100,
        right_hand=setup.right_hand,
        date=f"{checked.edition_date}T00:00:00",
        title=f"straight road for {checked.regulation} {checked.edition}",
    )
