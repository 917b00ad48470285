"""One test of every kind, for what must hold of all stages."""

from __future__ import annotations

from tests.manoeuvres.factory import NO_BRAKING, NO_WARNING, criterion, in_phases, made, part

from regc.model.scenario import Scenario

_IMPACT = (
    criterion("impact", "measure", signal="impact_speed", sign="<=", limit="25 km/h"),
    criterion("warning", "before", a="warning", b="braking", by="0.8 s"),
    criterion("demand", "measure", signal="braking_demand", sign=">=", limit="5.0 m/s2"),
)
_QUIET = (NO_WARNING, NO_BRAKING)
_LINE = (criterion("warning", "before", a="warning", b="line_crossed(0.3 m)"),)
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
    "pedestrian after a turn": made(
        "cross_after_turn", {"subject": "?v_set", "target": "5 km/h", "ttc": ">=4 s"}, {"target": "pedestrian"}
    ),
    "bicycle after a turn": made(
        "cross_after_turn",
        {"subject": "20 km/h", "target": "15 km/h", "ttc": ">=4 s", "obstructed": "run_up"},
        {"target": "bicycle", "obstruction": "object"},
    ),
    "cut in 1": made(
        "cut_in",
        {"subject": "50 km/h", "target": "10 km/h", "ttc": "0 s", "radius": "15 m", "displacement": "3.5 m", "target_path": "<=0.2 m"},
        {"target": "car"},
    ),
    "cut in 2": made(
        "cut_in",
        {"subject": "120 km/h", "target": "70 km/h", "ttc": "1.5 s", "lateral_acceleration": "1.5 m/s2", "displacement": "3.5 m"},
        {"target": "car"},
    ),
    "cut out": made(
        "cut_out",
        {"subject": "70 km/h", "lead": "50 km/h", "target": "0 km/h", "ttc": "3 s", "radius": "130 m", "displacement": "3.5 m"},
        {"target": "car", "lead": "car"},
    ),
    "steel plate": made(
        "pass_over",
        {
            "subject": "80 km/h",
            "ttc": "5 s",
            "object_width": "2.4 m",
            "object_length": "3.7 m",
            "object_height": "25 mm",
            "release_ttc": "2.1 s",
            "brake_ttc": "1.1 s",
            "brake_deceleration": "0.4 g",
        },
        {"object": "steel_plate"},
        require=(criterion("deceleration", "measure", signal="added_deceleration", sign="<", limit="0.25 g"),),
    ),
    "drift left": made("drift", {"subject": "65 km/h +3/-3", "rate": "0.1 m/s", "lane_width": ">3.5 m", "side": "left"}, require=_LINE),
    "drift right": made(
        "drift", {"subject": "65 km/h +3/-3", "rate": "0.8 m/s", "lane_width": ">3.5 m", "side": "right"}, require=_LINE
    ),
    "lane change": made(
        "lane_change",
        {"subject": "?v_set", "relative": "20 km/h", "displacement": "3.5 m", "straight_time": ">=2 s", "offset": "<=1 m"},
        {"target": "car"},
        require=(criterion("change", "happens", a="lane_change"),),
    ),
    "car in a curve": made(
        "curve", {"subject": "?v_curve", "target": "0 km/h", "radius": "787 m", "offset": "<=0.5 m"}, {"target": "car"}
    ),
    "car in an S-bend": made(
        "curve",
        {"subject": "70 km/h", "target": "0 km/h", "radius": "787 m", "counter_radius": "374 m", "offset": "<=0.5 m"},
        {"target": "car"},
    ),
    "crossing car": made("cross_junction", {"subject": "50 km/h", "target": "<=60 km/h", "overlap": "25 per cent"}, {"target": "car"}),
    "oncoming car": made("turn_across", {"subject": "40 km/h", "target": "<=60 km/h", "overlap": "50 per cent"}, {"target": "car"}),
    "turn before an oncoming vehicle": made(
        "turn_across",
        {
            "subject": "30 km/h +0/-2",
            "target": "0 km/h",
            "steer_speed": ">=16 km/h",
            "steer_ttc": "<=2.8 s",
            "turn_speed": ">=10 km/h",
            "clear_ttc": "<=1.7 s",
            "clear_overlap": "0 per cent",
        },
        {"target": "vehicle"},
        require=_QUIET,
    ),
    "lead turns off": made(
        "lead_turns_off",
        {
            "subject": "40 km/h +0/-2",
            "target": "40 km/h +0/-2",
            "target_turn_speed": "10 km/h +0/-2",
            "turn_start_speed": ">=26 km/h",
            "turn_start_ttc": "<=4.7 s",
            "after_speed": ">=20 km/h",
            "clear_ttc": "<=2.5 s",
        },
        {"target": "vehicle"},
        require=_QUIET,
    ),
    "curve past an object": made(
        "curve_past_object",
        {
            "subject": "30 km/h +0/-2",
            "target": "0 km/h",
            "radius": "<=25 m",
            "entry_speed": ">=22 km/h",
            "steer_ttc": "<=1.6 s",
            "curve_speed": ">=21 km/h",
            "clear_ttc": "<=1.1 s",
            "clear_offset": "-100 per cent",
        },
        {"target": "vehicle"},
        require=_QUIET,
    ),
    "lane change before a sign": made(
        "lane_change_before_object",
        {"subject": "40 km/h +0/-2", "steer_ttc": "<=4.2 s", "clear_ttc": "<=3.3 s", "clear_offset": "-100 per cent"},
        {"target": "signboard"},
        require=_QUIET,
    ),
    "pass between": made(
        "pass_between",
        {"subject": "50 km/h +2/-2", "approach_distance": ">=60 m", "gap_between": "4.5 m"},
        {"pair": "car"},
        covers=["M3>8t"],
        require=_QUIET,
    ),
    "passed, then a child crosses": in_phases(
        {"subject": "60 km/h +2/-2"},
        part("passed", "approach_from_rear", {"relative": "20 km/h"}, {"target": "motorcycle"}),
        part("child", "crossing", {"target": "5 km/h +0/-0.4", "ttc": ">=4 s"}, {"target": "child"}),
    ),
    "a curve, then a bicycle from behind cover": in_phases(
        {"subject": "40 km/h"},
        part("curve", "curve", {"radius": "120 m"}),
        part(
            "bicycle",
            "crossing",
            {"target": "15 km/h", "ttc": ">=4 s", "obstructed": "run_up"},
            {"target": "bicycle", "obstruction": "object"},
        ),
    ),
    "a change of lanes, a curve, then a cut-in": in_phases(
        {"subject": "70 km/h"},
        part("change", "lane_change", {"side": "left"}),
        part("curve", "curve", {"radius": "300 m", "side": "left"}),
        part("cut_in", "cut_in", {"target": "50 km/h", "ttc": "2 s", "side": "right"}, {"target": "car"}),
    ),
    "over a plate, past a curve, then a cut-out": in_phases(
        {"subject": "60 km/h"},
        part("plate", "pass_over", {"ttc": "4 s"}, {"object": "steel_plate"}),
        part("passed", "approach_from_rear", {"relative": "20 km/h", "side": "left"}, {"target": "motorcycle"}),
        part("curve", "curve", {"radius": "250 m", "side": "left"}),
        part(
            "cut_out",
            "cut_out",
            {"lead": "45 km/h", "target": "0 km/h", "ttc": "4 s", "side": "right"},
            {"lead": "car", "target": "car"},
        ),
    ),
    "between two and over a plate": in_phases(
        {"subject": "50 km/h"},
        part("pair", "pass_between", {"gap_between": "4.5 m", "approach_distance": ">=60 m"}, {"pair": "car"}),
        part("plate", "pass_over", {"ttc": "4 s"}, {"object": "steel_plate"}),
        require=_QUIET,
    ),
    "out of the lane, then something stands in a curve": in_phases(
        {"subject": "60 km/h"},
        part("leave", "leave_lane"),
        part("curve", "curve", {"radius": "125 m", "ttc": ">=4 s"}, {"target": "car"}),
    ),
}
