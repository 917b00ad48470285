"""One test of every kind, for what must hold of all stages."""

from __future__ import annotations

from tests.manoeuvres.factory import NO_BRAKING, NO_WARNING, criterion, made

from regc.model.scenario import Scenario

_IMPACT = (
    criterion("impact", "measure", signal="impact_speed", sign="<=", limit="25 km/h"),
    criterion("warning", "before", a="warning", b="braking", by="0.8 s"),
    criterion("demand", "measure", signal="braking_demand", sign=">=", limit="5.0 m/s2"),
)
_QUIET = (NO_WARNING, NO_BRAKING)
_STANDING = {"subject": "60 km/h +0/-2", "target": "0 km/h", "straight_time": ">=2 s", "ttc": ">=4 s", "offset": "<=0.2 m"}
_CROSSING = {"subject": "60 km/h +0/-2", "ttc": ">=4 s", "straight_time": ">=2 s"}
_PEDESTRIAN = {"ttc": "4 s", "set_up": "4.0 m", "run_up": "<=1.5 m", "target": "5 km/h"}

EXAMPLES: dict[str, Scenario] = {
    "standing car": made("in_lane", _STANDING, {"target": "car"}, covers=["M1"], require=_IMPACT),
    "slower car": made("in_lane", _STANDING | {"target": "20 km/h +0/-2"}, {"target": "car"}, covers=["N1"], require=_IMPACT),
    "braking lead": made(
        "in_lane",
        {"subject": "80 km/h", "target": "80 km/h", "gap": "12 m", "target_deceleration": "0.5 g", "straight_time": "3 s"},
        {"target": "car"},
        conditions={"friction": "1.02 "},
    ),
    "standing adult at night": made(
        "in_lane",
        {"subject": "55 km/h", "target": "0 km/h", "ttc": "4 s", "overlap": "25 per cent"},
        {"target": "adult"},
        axes={"side": "right"},
        conditions={"illumination": "<=0.2 lux", "headlamps": "low"},
    ),
    "walking adult": made(
        "in_lane",
        {"subject": "65 km/h", "target": "5 km/h", "ttc": "4 s", "overlap": "25 per cent", "run_up": "<=1.5 m"},
        {"target": "adult"},
    ),
    "child": made("crossing", _CROSSING | {"target": "5 km/h +0/-0.4"}, {"target": "child"}, covers=["M2"], require=_IMPACT),
    "bicycle": made(
        "crossing",
        _CROSSING | {"target": "15 km/h +0/-1", "obstructed": "run_up"},
        {"target": "bicycle", "obstruction": "object"},
        covers=["N2<=8t"],
        require=_IMPACT,
    ),
    "adult from the left": made(
        "crossing",
        _PEDESTRIAN | {"subject": "10 km/h", "overlap": "50 per cent", "set_up": "6 m", "target": "8 km/h"},
        {"target": "adult"},
        axes={"side": "left"},
    ),
    "hidden child": made(
        "crossing",
        _PEDESTRIAN | {"subject": "50 km/h", "overlap": "50 per cent", "obstructed": "yes"},
        {"target": "child", "obstruction": "car"},
    ),
    "pedestrian at a junction": made(
        "crossing", {"subject": "?v_set", "target": "5 km/h", "ttc": ">=4 s", "junction": "yes"}, {"target": "pedestrian"}
    ),
    "pass between": made(
        "pass_between",
        {"subject": "50 km/h +2/-2", "approach_distance": ">=60 m", "gap_between": "4.5 m"},
        {"pair": "car"},
        covers=["M3>8t"],
        require=_QUIET,
    ),
}
