"""A run as files: CSV with units in the header, and the sidecar that says what was run."""

from __future__ import annotations

import io
import json

import numpy as np

from regc.runs.channels import CHANNELS
from regc.runs.geometry import Series
from regc.runs.log import RunInfo, RunLog

#: The unit of each kind in a header, and digits after the point.
_WRITTEN = {
    "time": ("_s", 6), "speed": ("_m_s", 6), "length": ("_m", 6), "acceleration": ("_m_s2", 4), "jerk": ("_m_s3", 4),
    "angle": ("_rad", 6), "angular_rate": ("_rad_s", 6), "force": ("_n", 3), "flag": ("", 0),
}  # fmt: skip


def csv_text(log: RunLog) -> str:
    """The channels that the log has, one line a sample; a flag that was not observed is an empty cell. Time to collision is written
    for the reader's eye only."""
    names: list[str] = []
    columns: list[Series] = []
    formats: list[str] = []

    def add(name: str, values: Series, digits: int) -> None:
        names.append(name)
        columns.append(np.asarray(values, dtype=np.float64))
        formats.append(f"%.{digits}f")

    add("time_s", log.time, 6)
    values = {**_poses(log), **log.channels}
    for channel, kind in CHANNELS.items():
        if kind != "flag" and channel in values:
            add(channel + _WRITTEN[kind][0], values[channel], _WRITTEN[kind][1])
        elif channel in log.flags:
            add(channel, np.where(log.observed(channel), log.flags[channel], np.nan), 0)
    if log.functional_part is not None:
        add("functional_part", (log.time >= log.functional_part - log.step / 2).astype(np.float64), 0)
    gap, closing = log.get("gap"), log.get("closing_speed")
    if gap is not None and closing is not None:
        add("ttc_s", np.minimum(np.maximum(gap, 0.0) / np.maximum(closing, 1e-9), 999.0), 3)
    stream = io.StringIO()
    stream.write(",".join(names) + "\n")
    np.savetxt(stream, np.column_stack(columns) + 0.0, fmt=formats, delimiter=",", newline="\n")
    return stream.getvalue().replace("-0.000000", "0.000000").replace("-0.0000,", "0.0000,").replace("nan", "")


def _poses(log: RunLog) -> dict[str, Series]:
    found: dict[str, Series] = {}
    for role, track in log.tracks.items():
        found |= {f"{role}_x": track.x, f"{role}_y": track.y, f"{role}_heading": track.heading, f"{role}_speed": track.speed}
    return found


def sidecar_text(info: RunInfo) -> str:
    """The sidecar as JSON with sorted keys; the log's own name is left out, since it is the file beside it."""
    data = info.model_dump(mode="json", exclude={"log"}, exclude_none=True)
    return json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def stem(info: RunInfo) -> str:
    """The file name without suffix: `<scenario id>__<ego>__r<run>`."""
    return f"{info.scenario}__{info.ego}__r{info.run}"
