"""What the clauses ask of a run, typed by hand or taken from the hand-typed truth."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Asked:
    """A test as its clause words it; speeds in km/h, [low, high] with their tolerance. `limits`: most relative speed at impact by
    relative speed. `lead`: s that the warning comes before braking (None: no warning is asked). `offset`: most m beside the
    centreline, or of the impact point of what crosses. `most_demand`, `most_added`: m/s2 that braking may not exceed."""

    id: str
    family: str
    subject: tuple[float, float]
    nominal: float
    target: tuple[float, float] = (0.0, 0.0)
    limits: tuple[tuple[float, float], ...] = ()
    lead: float | None = None
    modes: int = 0
    demand: float | None = None
    most_demand: float | None = None
    ttc: float = 4.0
    straight: float = 2.0
    offset: float = 0.2
    starts_after: bool = False
    bicycle: bool = False


def asked_of_152() -> Iterator[Asked]:
    path = Path(__file__).parents[2] / "golden" / "un152" / "02" / "truth" / "fields.csv"
    rows = [row for row in csv.DictReader(path.open(encoding="utf-8")) if row["category"] in ("M1", "N1")]
    for row in rows:
        if row["family"] not in ("car_to_stationary_car", "car_to_moving_car", "car_to_pedestrian", "car_to_bicycle"):
            continue
        like = [other for other in rows if all(other[key] == row[key] for key in ("family", "category", "load_kind"))]
        if row["family"] == "car_to_moving_car":  # its limits are those of the stationary one
            like = [
                other for other in rows
                if other["family"] == "car_to_stationary_car" and all(other[key] == row[key] for key in ("category", "load_kind"))
            ]  # fmt: skip
        speed, target = float(row["subject_speed"]), float(row["target_speed"])
        crossing = row["family"] in ("car_to_pedestrian", "car_to_bicycle")
        if target and not crossing:
            target_range = (target - float(row["target_minus"] or 2), target + float(row["target_plus"] or 0))
        else:
            target_range = {0.0: (0.0, 0.0), 5.0: (4.6, 5.0), 15.0: (14.0, 15.0)}[target]
        yield Asked(
            id=row["id"],
            family={"car_to_stationary_car": "car", "car_to_moving_car": "moving car"}.get(row["family"], "crossing"),
            subject=(speed - float(row["speed_minus"]), speed + float(row["speed_plus"])),
            nominal=float(row["relative_speed"]),
            target=target_range,
            limits=tuple(sorted((float(other["relative_speed"]), float(other["max_impact_speed"])) for other in like)),
            lead=0.0 if crossing else 0.8,
            modes=2,
            demand=5.0,
            offset=0.1 if crossing else 0.2,
            starts_after=row["family"] == "car_to_pedestrian",
            bicycle=row["family"] == "car_to_bicycle",
        )


def asked_of_others() -> Iterator[Asked]:
    for speed, limit in ((20, 0), (50, 0), (80, 49), (90, 60)):  # UN R131, 6.4 and 5.2.1.4, +/- 2 km/h
        id = f"UNR131-02_p6.4_VtoStV_DerM1N1_MaxMass_{speed:03d}"
        yield Asked(
            id, "car", (speed - 2, speed + 2), speed, limits=((speed, limit),), lead=0.8, modes=2, demand=4.0,
        )  # fmt: skip
    yield Asked(
        "UNR131-02_p6.6.1_VtoP_DerM1N1_MaxMass_020", "crossing", (18, 22), 20, (4.6, 5.0), ((20, 0),), 0.0, 2, 4.0, offset=0.1,
        starts_after=True,
    )  # fmt: skip
    any_speed = ((0.0, 0.0), (200.0, 0.0))  # no contact
    yield Asked(
        "FMVSS127-2024_pS7.3_StopLead_NoBrake_010to080",
        "car",
        (8.4, 81.6),
        40,
        limits=any_speed,
        lead=0.0,
        ttc=5.0,
        straight=0.0,
        offset=9.0,
    )
    yield Asked("UNR171-00_A4-4.2.5.2.1_StatStraight", "car", (60, 60), 60, limits=any_speed, most_demand=5.0, offset=0.5, ttc=0.0)
    yield Asked(
        "UNR171-00_A4-4.2.5.2.3_Slower", "moving car", (70, 70), 50, (20, 20), limits=any_speed, most_demand=5.0, offset=0.5, ttc=0.0
    )
    yield Asked(
        "UNR171-00_A4-4.2.5.2.9_CrossPedestrian", "crossing", (40, 40), 40, (4.6, 5.0), any_speed, most_demand=5.0, offset=0.2,
        straight=0.0, starts_after=True,
    )  # fmt: skip
    for side in ("Left", "Right"):  # UN R130, 6.5 and 5.2.1
        yield Asked(f"UNR130-00_p6.5_Drift_{side}_0.1to0.8", "line", (62, 68), 65, modes=2)
    yield Asked("UNR131-02_p6.10_FalseReaction_050", "false reaction", (48, 52), 50)  # 6.10
    yield Asked("FMVSS127-2024_pS9.3_PassThrough_NoBrake_080", "plate", (78.4, 81.6), 80)  # S9: 0.25 g
    yield Asked("FMVSS127-2024_pS7.5_BrakeLead_NoBrake_050", "braking lead", (48.4, 51.6), 0, (48.4, 51.6), any_speed, 0.0)  # S7.5
    yield Asked("UNR171-00_A4-4.2.5.2.6_CutIn_Type1", "cut-in", (50, 50), 40, (10, 10), any_speed, most_demand=5.0)
