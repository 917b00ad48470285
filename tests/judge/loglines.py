"""Hand-made logs: a vehicle that drives straight, is warned, brakes at a constant rate, and hits or stands. Written as CSV text."""

from __future__ import annotations

STEP = 0.01
#: Samples after standstill or the end of a contact.
AFTER_END = 30


def car_log(
    *,
    speed_kmh: float = 42.0,
    target_kmh: float = 0.0,
    warning_at: float | None = 2.0,
    braking_at: float | None = 1.0,
    demand: float = 9.0,
    ttc_at_start: float = 4.0,
    approach: float = 2.5,
    seconds: float = 12.0,
    offset: float = 0.05,
) -> dict[str, list[float]]:
    """Samples by column; `warning_at` and `braking_at` are the time to collision at which they start. The functional part starts
    `approach` seconds into the log at `ttc_at_start`."""
    speed, target = speed_kmh / 3.6, target_kmh / 3.6
    gap = (speed - target) * (ttc_at_start + approach)
    columns: dict[str, list[float]] = {name: [] for name in HEADER}
    collided, over = False, 0
    for index in range(round(seconds / STEP)):
        time = index * STEP
        undisturbed = ttc_at_start + approach - time
        warned = warning_at is not None and undisturbed <= warning_at + 1e-9
        brakes = braking_at is not None and undisturbed <= braking_at + 1e-9 and speed > 0
        collided = collided or gap <= 0
        row = {
            "time_s": time,
            "subject_speed_kmh": speed * 3.6,
            "target_speed_kmh": target * 3.6,
            "gap_m": gap,
            "lateral_offset_m": offset,
            "contact": float(gap <= 0),
            "warning_acoustic": float(warned),
            "warning_optical": float(warned),
            "braking_demand_m_s2": demand if brakes else 0.0,
            "driver_input": 0.0,
            "functional_part": float(time >= approach - 1e-9),
        }
        for name, value in row.items():
            columns[name].append(value)
        over += gap <= -0.5 or speed - target <= 0
        if over > AFTER_END:
            break
        if brakes:
            speed = max(speed - demand * STEP, min(target, speed))
        gap -= (speed - target) * STEP
    return columns


HEADER = (
    "time_s",
    "subject_speed_kmh",
    "target_speed_kmh",
    "gap_m",
    "lateral_offset_m",
    "contact",
    "warning_acoustic",
    "warning_optical",
    "braking_demand_m_s2",
    "driver_input",
    "functional_part",
)


def csv_text(columns: dict[str, list[float]]) -> str:
    """The samples as a CSV file's text."""
    names = list(columns)
    lines = [",".join(names)]
    lines.extend(",".join(format(columns[name][index], ".9g") for name in names) for index in range(len(columns[names[0]])))
    return "\n".join(lines) + "\n"
