"""A run as files: CSV with units in the header, and the sidecar that says what was run."""

from __future__ import annotations

import io
import json

import numpy as np

from regc.simulate._geometry import Series
from regc.simulate.runlog import RunInfo, RunLog

#: channel of RunLog -> column and digits after the point
_COLUMNS = (
    ("time", "time_s", 6),
    ("subject_speed", "subject_speed_m_s", 6),
    ("target_speed", "target_speed_m_s", 6),
    ("closing_speed", "closing_speed_m_s", 6),
    ("gap", "gap_m", 6),
    ("lateral_offset", "lateral_offset_m", 6),
    ("contact", "contact", 0),
    ("demand", "braking_demand_m_s2", 4),
    ("deceleration", "deceleration_m_s2", 4),
    ("driver_input", "driver_input", 0),
)


def csv_text(log: RunLog) -> str:
    """The channels that the log has, one line a sample. Time to collision is written for the reader's eye only."""
    names: list[str] = []
    columns: list[Series] = []
    formats: list[str] = []

    def add(name: str, values: Series, digits: int) -> None:
        names.append(name)
        columns.append(np.asarray(values, dtype=np.float64))
        formats.append(f"%.{digits}f")

    for channel, name, digits in _COLUMNS:
        values = getattr(log, channel)
        if values is not None:
            add(name, values, digits)
    for mode, flags in log.warnings.items():
        add("warning" if mode == "unspecified" else f"warning_{mode}", flags.astype(np.float64), 0)
    if log.functional_part is not None:
        add("functional_part", (log.time >= log.functional_part - log.step / 2).astype(np.float64), 0)
    if log.gap is not None and log.closing_speed is not None:
        closing = np.maximum(log.closing_speed, 1e-9)
        add("ttc_s", np.minimum(np.maximum(log.gap, 0.0) / closing, 999.0), 3)
    stream = io.StringIO()
    stream.write(",".join(names) + "\n")
    np.savetxt(stream, np.column_stack(columns) + 0.0, fmt=formats, delimiter=",", newline="\n")
    return stream.getvalue().replace("-0.000000", "0.000000").replace("-0.0000,", "0.0000,")


def sidecar_text(info: RunInfo) -> str:
    """The sidecar as JSON with sorted keys; the log's own name is left out, since it is the file beside it."""
    data = info.model_dump(mode="json", exclude={"log"}, exclude_none=True)
    return json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def stem(info: RunInfo) -> str:
    """The file name without suffix: `<scenario id>__<ego>__r<run>`."""
    return f"{info.scenario}__{info.ego}__r{info.run}"
