"""`regc judge --make-mapping`: the file it prints, filled in as its comments say, judges a log as regc's own form of it is judged."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.judge.drives import Drive, log, write
from tests.judge.suites import un152

from regc.judge.campaign import judge
from regc.judge.verdict import RunVerdict
from regc.runs.mapping import LogMapping, read_mapping
from regc.runs.read import mapping_for, read_logs

ID = "UNR152-02_p6.4_CtoStC_M1_MassRun_042"
DRIVES = {"pass": Drive(speed=42, rate=7.0), "fail": Drive(speed=42, braking=0.9, rate=5.0), "invalid": Drive(speed=45, rate=7.0)}
#: channel -> the bench's own name, unit, and how many of that unit are one of regc's own
OWN = {
    "time": ("Time", "s", 1.0), "subject_speed": ("Car_v", "km/h", 3.6), "target_speed": ("Traffic_v", "km/h", 3.6),
    "gap": ("Sensor_ds", "m", 1.0), "lateral_offset": ("Sensor_dy", "m", 1.0), "contact": ("Bumper_contact", "", 1.0),
    "warning_acoustic": ("HMI_buzzer", "", 1.0), "warning_optical": ("HMI_lamp", "", 1.0),
    "braking_demand": ("ADAS_ax", "m/s2", -1.0), "driver_input": ("Pedal", "", 1.0), "functional_part": ("Phase", "", 1.0),
}  # fmt: skip
UNITS = {"time": "_s", "subject_speed": "_m_s", "target_speed": "_m_s", "gap": "_m", "lateral_offset": "_m", "braking_demand": "_m_s2"}

Signals = dict[str, np.ndarray]  # type: ignore[type-arg]


def signals(drive: Drive) -> Signals:
    columns = log(drive)
    return {own: np.array(columns[channel + UNITS.get(channel, "")]) * factor for channel, (own, _, factor) in OWN.items()}


def as_csv(path: Path, found: Signals) -> None:
    head = ";".join(f"{name} [{unit}]" if unit else name for name, unit, _ in OWN.values())
    rows = [";".join(f"{cell:.6f}".replace(".", ",") for cell in row) for row in zip(*found.values(), strict=True)]
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")


def as_erg(path: Path, found: Signals) -> None:
    lines = ["#INFOFILE1.1", "FileIdent = CarMaker-ERG 3", "File.Format = erg", "File.ByteOrder = LittleEndian"]
    for number, (name, unit, _) in enumerate(OWN.values(), 1):
        lines += [f"File.At.{number}.Name = {name}", f"File.At.{number}.Type = Double", f"Quantity.{name}.Unit = {unit or '-'}"]
    path.with_name(path.name + ".info").write_text("\n".join(lines) + "\n", encoding="utf-8")
    records = (struct.pack(f"<{len(row)}d", *row) for row in zip(*found.values(), strict=True))
    path.write_bytes(b"CM-ERG\0\0\x03\x00\x00\x00\x00\x00\x00\x00" + b"".join(records))


def as_mdf(path: Path, found: Signals) -> None:
    asammdf = pytest.importorskip("asammdf", reason="pip install 'regc[mdf]'")
    units = {name: unit for name, unit, _ in OWN.values()}
    time = found["Time"]
    with asammdf.MDF(version="4.10") as mdf:
        mdf.append([asammdf.Signal(values, time, name=name, unit=units[name]) for name, values in found.items() if name != "Time"])
        mdf.save(path, overwrite=True)


def filled_in(text: str, csv: bool) -> str:
    """The printed file as a person completes it: each commented line is opened, with the column and the unit of the bench."""
    for channel, (name, unit, factor) in OWN.items():
        column = f"{name} [{unit}]" if csv and unit else name
        more = ", factor = -1.0" if factor < 0 else ""
        line = f"{channel} = {{ column = '{column}', unit = '{unit}'{more} }}"
        text, count = re.subn(rf"(?m)^(# )?{channel} = \{{.*$", line, text)
        assert count == 1, channel
    return text


def judged(path: Path, mapping: LogMapping | None = None) -> RunVerdict:
    logs, _ = read_logs([path], mapping=mapping)
    return judge(un152(), logs).runs[0]


@pytest.mark.parametrize("verdict", DRIVES)
@pytest.mark.parametrize(("suffix", "written"), [("csv", as_csv), ("erg", as_erg), ("mf4", as_mdf)])
def test_starting_mapping_file_judges_the_log(
    tmp_path: Path, suffix: str, written: Callable[[Path, Signals], None], verdict: str
) -> None:
    path = tmp_path / "bench" / f"{ID}__r1.{suffix}"
    path.parent.mkdir()
    written(path, signals(DRIVES[verdict]))
    (tmp_path / "own.toml").write_text(filled_in(mapping_for(path), suffix == "csv"), encoding="utf-8")
    run, own = judged(path, read_mapping(tmp_path / "own.toml")), judged(write(tmp_path, f"{ID}__r1", log(DRIVES[verdict])))
    assert run.verdict == own.verdict == verdict, run.reason
    assert [(check.name, check.measured, check.result) for check in run.checks] == [
        (check.name, check.measured, check.result) for check in own.checks
    ]
