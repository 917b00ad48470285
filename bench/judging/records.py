"""Drives as benches record them, well and badly: steps, units, names of columns, and one or several kinds of damage."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from bench.judging.drives import FINE, Drive

#: SI -> other units of a header, and what a number there is times SI
UNITS: dict[str, tuple[tuple[str, float], ...]] = {
    "subject_speed": (("m_s", 1.0), ("kmh", 3.6), ("km/h", 3.6), ("mph", 1 / 0.44704)),
    "target_speed": (("m_s", 1.0), ("kmh", 3.6), ("kph", 3.6)),
    "gap": (("m", 1.0), ("cm", 100.0), ("mm", 1000.0)),
    "lateral_offset": (("m", 1.0), ("cm", 100.0)),
    "line_distance": (("m", 1.0), ("mm", 1000.0)),
    "braking_demand": (("m_s2", 1.0), ("m/s^2", 1.0), ("g", 1 / 9.80665)),
    "deceleration": (("m_s2", 1.0), ("g", 1 / 9.80665)),
    **{f"{role}_{part}": (("m", 1.0),) for role in ("subject", "target") for part in ("x", "y")},
    **{f"{role}_heading": (("rad", 1.0), ("deg", 180 / np.pi)) for role in ("subject", "target")},
}
#: ruinous: what may turn any run into an invalid or incomplete one, but never into a pass or a fail that it is not
RUINOUS = (
    "unit lie", "reversed sign", "duplicate rows", "hole", "clipped start", "ends early", "empty numbers", "time back",
    "text in a cell", "held gap", "zero sample", "stuck contact", "held speed", "lost speed",
)  # fmt: skip
#: what leaves the record worse, so that a run may be incomplete
POOR = (
    "no contact flag", "empty contact", "empty warning", "no demand", "neither", "no driver flag", "one warning flag",
    "no lateral offset", "no gap", "no boxes", "no target speed", "late contact", "unmarked", "crash", "cut at contact", "lost samples",
    "clamped gap", "bounce",
)  # fmt: skip
GOOD = ("", "", "", "jitter", "few digits", "foreign names", "time offset", "noise", "junk columns")


@dataclass(frozen=True)
class Record:
    """A log as text, with its mapping, and what was done to it."""

    name: str
    text: str
    sidecar: dict[str, Any]
    mapping: str
    done: tuple[str, ...]
    step: float


def recorded(drive: Drive, rng: random.Random, only: str = "") -> Record:
    """One record of a drive."""
    done = [kind for kind in (rng.choice(GOOD), rng.choice(GOOD)) if kind]
    if only == "whole":
        done = []
    elif only:
        done += only.split(",")
    else:
        if rng.random() < 0.5:
            done.append(rng.choice(POOR))
        if rng.random() < 0.25:
            done.append(rng.choice(RUINOUS))
    done = list(dict.fromkeys(done))
    step = rng.choice((0.001, 0.002, 0.005, 0.01, 0.01, 0.02, 0.025, 0.04, 0.05, 0.1, 0.2))
    fine = np.arange(0.0, next(iter(drive.channels.values())).size) * FINE
    contact, ends = drive.contact, drive.ends
    if "cut at contact" in done and contact is not None:
        ends = contact + rng.uniform(0.0, 0.1)
    if "ends early" in done:
        ends = drive.functional + rng.uniform(0.3, 0.95) * ((contact or drive.ends) - drive.functional)
    begin = rng.uniform(0.0, min(step, 0.004)) if drive.asked.family != "false reaction" else 0.0
    for kind in (
        "unmarked",
        "no driver flag",
    ):  # what was wrong would lie before the latest start that the clause allows, or in no channel
        if kind in done and drive.truth == "invalid":
            done.remove(kind)
    if "clipped start" in done:
        begin = rng.uniform(0.2, max(drive.functional - 0.1, 0.3))
    time = np.arange(begin, ends, step)
    if "jitter" in done:
        time = time + np.array([rng.uniform(0.0, 0.3) * step for _ in time])
    channels = dict(drive.channels)
    if "crash" in done and contact is not None and "gap" in channels:
        after = fine >= contact
        channels["subject_speed"] = np.where(after, channels["subject_speed"] * 0.4, channels["subject_speed"])
        channels["gap"] = np.where(after, np.minimum(channels["gap"], 0.0) * 0.05, channels["gap"])
        channels["deceleration"] = np.where(after & (fine < contact + 0.02), 200.0, channels["deceleration"])
    late = rng.uniform(0.0, 0.1) if "late contact" in done else 0.0
    cells: dict[str, list[float | None]] = {}
    for name, values in channels.items():
        cells[name] = list(np.interp(time, fine, values))
    for name in ("braking_demand",):
        if name in cells:  # a demand is held, not drawn from point to point
            cells[name] = list(channels[name][np.searchsorted(fine, time - 1e-9).clip(0, fine.size - 1)])
    for name, flag in drive.flags.items():
        shift = late if name == "contact" else 0.0
        cells[name] = [float(flag[min(max(int((at - shift) / FINE + 1e-6), 0), flag.size - 1)]) for at in time]
    if drive.marked and "unmarked" not in done:
        cells["functional_part"] = [float(at >= drive.functional - 1e-9) for at in time]
    # what does not lie beside the time that a bench of this rate would have
    drop: set[str] = {"driver_brake"} if drive.asked.most_demand is None else set()
    if rng.random() < 0.6 and drive.asked.family != "plate":
        drop.add("deceleration")
    for kind, names in (
        ("no contact flag", ("contact",)), ("no demand", ("braking_demand",)), ("neither", ("braking_demand", "deceleration")),
        ("no driver flag", ("driver_input",)), ("no lateral offset", ("lateral_offset",)), ("no gap", ("gap",)),
        ("no target speed", ("target_speed",)),
    ):  # fmt: skip
        if kind in done:
            drop |= set(names)
    if "no demand" in done:
        drop.discard("deceleration")
    if "one warning flag" in done and "warning_acoustic" in cells:
        cells["warning"] = cells.pop("warning_acoustic")
        cells.pop("warning_optical", None)
        cells.pop("warning_haptic", None)
    for name in drop:
        cells.pop(name, None)
    sidecar = dict(drive.sidecar)
    conditions = {"release_time": "300 ms", **({"reaction_time": "4.5 s"} if "StatStraight" in drive.asked.id else {})}
    sidecar["conditions"] = {**conditions, **sidecar.get("conditions", {})}
    if "no boxes" in done:
        for key in ("subject_box", "target_box", "boxes"):
            sidecar.pop(key, None)
    if "noise" in done:
        for name, size in (("subject_speed", 0.004), ("gap", 0.01)):
            if name in cells:
                cells[name] = [value + rng.uniform(-size, size) for value in cells[name] if value is not None]
    if "clamped gap" in done and "gap" in cells:
        cells["gap"] = [max(value or 0.0, 0.0) for value in cells["gap"]]
    if "held gap" in done and "gap" in cells:  # a radar that loses what is near
        below = rng.uniform(0.3, 3.0)
        at = next((index for index, value in enumerate(cells["gap"]) if value is not None and value < below), None)
        if at is not None:
            cells["gap"][at:] = [cells["gap"][at]] * (len(time) - at)
    if "stuck contact" in done and "contact" in cells:
        cells["contact"] = [0.0] * len(time)
    if "bounce" in done and contact is not None and "contact" in cells:
        cells["contact"] = [
            float((value or 0.0) > 0 and (at - contact) % 0.3 < 0.1 + step) for value, at in zip(cells["contact"], time, strict=True)
        ]
    if "zero sample" in done:
        at = rng.randrange(len(time))
        cells["subject_speed"][at] = 0.0
    if "held speed" in done or "lost speed" in done:
        at = int(np.searchsorted(time, rng.uniform(drive.functional + 0.5, drive.ends)))
        if at < len(time):
            cells["subject_speed"][at:] = [cells["subject_speed"][at] if "held speed" in done else 0.0] * (len(time) - at)
    if "empty contact" in done and "contact" in cells:
        cells["contact"] = [None] * len(time)
    if "empty warning" in done:
        for name in ("warning_acoustic", "warning"):
            if name in cells:
                cells[name] = [None if rng.random() < 0.3 else value for value in cells[name]]
    if "empty numbers" in done:
        name = rng.choice([name for name in ("gap", "subject_speed", "braking_demand", "line_distance") if name in cells])
        share = rng.choice((0.01, 0.5))
        cells[name] = [None if rng.random() < share else value for value in cells[name]]
    if "reversed sign" in done:
        name = rng.choice(
            [
                name
                for name in ("gap", "subject_speed", "braking_demand", "deceleration", "line_distance", "lateral_offset")
                if name in cells
            ]
        )
        cells[name] = [None if value is None else -value for value in cells[name]]
        done[done.index("reversed sign")] = f"reversed sign of {name}"
    lie = ""
    if "unit lie" in done:
        lie = rng.choice([name for name in ("subject_speed", "gap", "braking_demand", "line_distance") if name in cells])
        done[done.index("unit lie")] = f"unit lie of {lie}"
    shift = rng.choice((0.0, 12.5, -3.0, 86400.0, 1.7e9)) if "time offset" in done else 0.0
    cells = {"time": [float(at) + shift for at in time], **cells}
    if "junk columns" in done:
        cells["Gierrate_Sensor"] = [rng.uniform(-1, 1) for _ in time]
    # ---- units, digits, names, order
    digits = rng.choice((3, 4)) if "few digits" in done else 7
    foreign = "foreign names" in done
    header: dict[str, str] = {}
    mapped: list[str] = []
    columns: dict[str, list[str]] = {}
    decimal = rng.choice((".", ",")) if foreign else "."
    for name, values in cells.items():
        unit, factor = rng.choice(UNITS.get(name, (("", 1.0),)))
        if name == "time":
            unit, factor = rng.choice((("s", 1.0), ("ms", 1000.0)))
        if name == lie:
            units = {"subject_speed": ("kmh", "m_s"), "gap": ("cm", "m"), "braking_demand": ("g", "m_s2"), "line_distance": ("mm", "m")}
            unit = units[name][0 if factor == 1.0 else 1]
        sign = -1.0 if foreign and name in ("gap", "lateral_offset", "braking_demand", "line_distance") and rng.random() < 0.3 else 1.0
        places = digits + 3 if name == "time" and shift < 1e6 else digits
        columns[name] = ["" if value is None else f"{value * factor * sign:.{places}f}".replace(".", decimal) for value in values]
        if foreign and name in (*CHANNEL_NAMES, "time"):
            header[name] = f"Mess_{rng.randrange(1000)}_{name[:3]}.{len(header)}"
            mapped.append(f"{name} = {{ column = '{header[name]}', unit = '{unit}', factor = {sign} }}")
        else:
            header[name] = f"{name}_{unit}" if unit and rng.random() < 0.7 else f"{name} [{unit}]" if unit else name
            header[name] = header[name].upper() if rng.random() < 0.1 and "/" not in unit else header[name]
    order = list(columns)
    rng.shuffle(order)
    rows = [[columns[name][index] for name in order] for index in range(len(time))]
    if "lost samples" in done:
        kept = [rng.random() > 0.05 for _ in rows]
        rows = [row for row, keep in zip(rows, kept, strict=True) if keep]
    if "hole" in done and len(rows) > 12:
        at = rng.randrange(1, len(rows) - 9)
        rows = rows[:at] + rows[at + max(9, len(rows) // 8) :]
    if "duplicate rows" in done and rows:
        at = rng.randrange(len(rows))
        rows = [*rows[: at + 1], rows[at], *rows[at + 1 :]]
    if "time back" in done and len(rows) > 3:
        at = rng.randrange(1, len(rows) - 1)
        rows[at], rows[at - 1] = rows[at - 1], rows[at]
    if "text in a cell" in done and rows:
        rows[rng.randrange(len(rows))][order.index(rng.choice([name for name in order if name in CHANNEL_NAMES]))] = "n/a"
    delimiter = ";" if decimal == "," else ","
    text = "\n".join(delimiter.join(row) for row in ([header[name] for name in order], *rows)) + "\n"
    mapping = ""
    if foreign:
        mapping = f'delimiter = "{delimiter}"\ndecimal = "{decimal}"\n[columns]\n' + "\n".join(mapped) + "\n"
    return Record(f"{drive.asked.id}__r1", text, {"scenario": drive.asked.id, **sidecar}, mapping, tuple(done), step)


CHANNEL_NAMES = (
    "subject_speed", "target_speed", "gap", "lateral_offset", "line_distance", "braking_demand", "deceleration", "contact", "warning",
    "warning_acoustic", "warning_optical", "warning_haptic", "driver_input", "driver_brake", "functional_part",
    *(f"{role}_{part}" for role in ("subject", "target") for part in ("x", "y", "heading")),
)  # fmt: skip
