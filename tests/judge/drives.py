"""Drives in closed form, sampled as a bench samples them, and what is true of them. Nothing here uses the judge's own code.

A vehicle drives at constant speed, warns, brakes at a constant rate from a time to collision on, and stands or hits. Positions and
speeds at any time are formulas, so a log at any rate has no error of integration.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

#: s from the start of the log to that of the functional part, and the time to collision there
APPROACH, TTC = 2.5, 4.2
CONTACT_AT = APPROACH + TTC


@dataclass(frozen=True)
class Drive:
    """Speeds in km/h; `warning` and `braking` are times to collision in s, `late` how far (m) a crossing target is late to the
    centreline. `half`: half widths that touch (m) for a crossing target."""

    speed: float = 42.0
    target: float = 0.0
    crossing: bool = False
    warning: float = 2.2
    braking: float = 1.2
    rate: float = 6.0
    late: float = 0.0
    half: float = 1.15

    @property
    def closing(self) -> float:
        return (self.speed if self.crossing else self.speed - self.target) / 3.6

    @property
    def impact(self) -> float | None:
        """Relative speed (km/h) in which the front reaches the target or its path; None if it stops before."""
        left = self.closing**2 - 2 * self.rate * self.closing * self.braking
        return math.sqrt(left) * 3.6 if left > 0 else None

    def at(self, time: float) -> tuple[float, float, float]:
        """Closing speed (m/s), gap (m) and lateral offset (m, left positive) if nothing is in the way."""
        since = max(time - (CONTACT_AT - self.braking), 0.0)
        braked = min(since, self.closing / self.rate)
        gap = self.closing * (CONTACT_AT - time) + self.rate * braked**2 / 2 + (since - braked) * self.closing
        if since > braked:
            gap = self.closing * self.braking - self.closing**2 / (2 * self.rate)
        return self.closing - self.rate * braked, gap, self.target / 3.6 * (time - CONTACT_AT) - self.late


def log(
    drive: Drive, step: float = 0.01, *, seconds: float = 12.0, digits: int = 6, shift: float = 0.0
) -> dict[str, list[float | None]]:
    """The samples; they start `shift` s later than the drive. Contact is set from the first sample in which the bodies touch."""
    columns: dict[str, list[float | None]] = {name: [] for name in NAMES}
    for index in range(int(seconds / step)):
        time = index * step + shift
        closing, gap, offset = drive.at(time)
        touches = gap <= 0 and (not drive.crossing or abs(offset) <= drive.half)
        own = closing if drive.crossing else closing + drive.target / 3.6
        ttc = CONTACT_AT - time
        row: dict[str, float] = {
            "time_s": time,
            "subject_speed_m_s": own,
            "target_speed_m_s": drive.target / 3.6,
            "gap_m": gap,
            "lateral_offset_m": offset if drive.crossing else 0.05,
            "contact": float(touches),
            "warning_acoustic": float(ttc <= drive.warning + 1e-9),
            "warning_optical": float(ttc <= drive.warning + 1e-9),
            "braking_demand_m_s2": drive.rate if ttc <= drive.braking + 1e-9 and closing > 0 else 0.0,
            "driver_input": 0.0,
            "functional_part": float(time >= APPROACH - 1e-9),
        }
        for name, value in row.items():
            columns[name].append(round(value, digits))
    return columns


NAMES = (
    "time_s",
    "subject_speed_m_s",
    "target_speed_m_s",
    "gap_m",
    "lateral_offset_m",
    "contact",
    "warning_acoustic",
    "warning_optical",
    "braking_demand_m_s2",
    "driver_input",
    "functional_part",
)


def text(columns: dict[str, list[float | None]]) -> str:
    """The samples as CSV; None is an empty cell."""
    lines = [",".join(columns)]
    lines += [",".join("" if value is None else repr(value) for value in row) for row in zip(*columns.values(), strict=True)]
    return "\n".join(lines) + "\n"


def without(columns: dict[str, list[float | None]], samples: set[int]) -> dict[str, list[float | None]]:
    """The log with some samples lost."""
    return {name: [value for index, value in enumerate(values) if index not in samples] for name, values in columns.items()}


def first(columns: dict[str, list[float | None]], name: str) -> int:
    """The first sample in which a flag is set."""
    return columns[name].index(1.0)


def write(folder: Path, name: str, columns: dict[str, list[float | None]]) -> Path:
    """A log as a file."""
    path = folder / f"{name}.csv"
    path.write_text(text(columns), encoding="utf-8")
    return path
