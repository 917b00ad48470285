"""Logs as benches write them: the same run gives the same log, whatever the file."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from regc.errors import DataFileError
from regc.runs.log import RunLog, csv_text, sidecar_text
from regc.runs.mapping import LogMapping, read_mapping
from regc.runs.read import mapping_for, read_log, read_logs

#: A run of 5 s at 100 Hz: signals as a bench names them, with their units.
TIME = np.arange(0.0, 5.0, 0.01)
SIGNALS = {
    "Car.v": (np.maximum(15.0 - 3.0 * np.maximum(TIME - 2.0, 0.0), 0.0), "m/s"),
    "Traffic.v": (np.zeros_like(TIME), "m/s"),
    "Sensor.ds": (60.0 - 12.0 * TIME, "m"),
    "ADAS.warn": ((TIME >= 1.0).astype(np.float64), "-"),
    "Bumper.contact": (np.zeros_like(TIME), "-"),
}
CHANNELS = {
    "time": ("Time", "s"), "subject_speed": ("Car.v", "m/s"), "target_speed": ("Traffic.v", "m/s"), "gap": ("Sensor.ds", "m"),
    "warning": ("ADAS.warn", ""), "contact": ("Bumper.contact", ""),
}  # fmt: skip


def mapping(folder: Path) -> LogMapping:
    lines = [f'{channel} = {{ column = "{column}", unit = "{unit}" }}' for channel, (column, unit) in CHANNELS.items()]
    (folder / "own.toml").write_text("[columns]\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return read_mapping(folder / "own.toml")


def csv_log(folder: Path) -> RunLog:
    lines = [",".join(["Time", *SIGNALS])]
    lines += [",".join(repr(float(x)) for x in row) for row in zip(TIME, *(values for values, _ in SIGNALS.values()), strict=True)]
    (folder / "T__r1.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_log(folder / "T__r1.csv", mapping=mapping(folder))


def erg_file(folder: Path) -> Path:
    """A CarMaker result: 16 bytes, then records of a double, floats and a padded flag; the .erg.info says so."""
    info = ["#INFOFILE1.1", "FileIdent = CarMaker-ERG 3", "File.Format = erg", "File.ByteOrder = LittleEndian"]
    kinds = {"Time": "Double", **dict.fromkeys(SIGNALS, "Double"), "ADAS.warn": "UChar", "$none$": "3 Bytes"}
    for number, (name, kind) in enumerate(kinds.items(), 1):
        info += ["", f"File.At.{number}.Name = {name}", f"File.At.{number}.Type = {kind}"]
        if name in SIGNALS:
            info.append(f"Quantity.{name}.Unit = {SIGNALS[name][1]}")
    path = folder / "T__r1.erg"
    path.with_name(path.name + ".info").write_text("\n".join(info) + "\n", encoding="utf-8")
    records = [
        struct.pack("<dddd", TIME[index], *(SIGNALS[name][0][index] for name in ("Car.v", "Traffic.v", "Sensor.ds")))
        + struct.pack("<B", int(SIGNALS["ADAS.warn"][0][index]))
        + struct.pack("<d", SIGNALS["Bumper.contact"][0][index])
        + b"\0\0\0"
        for index in range(TIME.size)
    ]
    path.write_bytes(b"CM-ERG\0\0\x03\x00\x00\x00\x00\x00\x00\x00" + b"".join(records))
    return path


def same(one: RunLog, other: RunLog) -> None:
    assert one.problems == other.problems == ()
    assert set(one.channels) == set(other.channels)
    assert set(one.flags) == set(other.flags)
    np.testing.assert_allclose(one.time, other.time, atol=1e-9)
    for name, values in one.channels.items():
        np.testing.assert_allclose(values, other.channels[name], atol=1e-9)
    for name, flags in one.flags.items():
        np.testing.assert_array_equal(flags, other.flags[name])


def test_carmaker_erg_is_the_same_run_as_csv(tmp_path: Path) -> None:
    same(read_log(erg_file(tmp_path), mapping=mapping(tmp_path)), csv_log(tmp_path))


def test_erg_as_cmerg_reads_it(tmp_path: Path) -> None:
    cmerg = pytest.importorskip("cmerg", reason="pip install cmerg: another reader of .erg files to compare with")
    path = erg_file(tmp_path)
    info = path.with_name(path.name + ".info")
    info.write_text("File.DateInSeconds = 0\n" + info.read_text(encoding="utf-8"), encoding="utf-8")
    other = cmerg.ERG(str(path))
    own = read_log(path, mapping=mapping(tmp_path))
    np.testing.assert_allclose(own.channels["gap"], other.signals["Sensor.ds"].data)
    np.testing.assert_allclose(own.time, other.signals["Time"].data)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda info: info.unlink(), "has no T__r1.erg.info beside it"),
        (lambda info: info.write_text("File.At.1.Name = Time\nFile.At.1.Type = Quad\n"), "has the type 'Quad'"),
        (lambda info: info.write_text("nothing\n"), "names no signals"),
        (lambda info: info.write_text(info.read_text() + "Quantity.Car.v.Factor = 2\n"), "is scaled"),
    ],
)
def test_damaged_erg_stays_a_run(tmp_path: Path, change: object, says: str) -> None:
    path = erg_file(tmp_path)
    change(path.with_name(path.name + ".info"))  # type: ignore[operator]
    log = read_log(path, mapping=mapping(tmp_path))
    assert [kind for kind, _ in log.problems] == ["invalid"]
    assert says in log.problems[0][1]


def test_mdf_4_is_the_same_run_as_csv(tmp_path: Path) -> None:
    asammdf = pytest.importorskip("asammdf", reason="pip install 'regc[mdf]'")
    signals = [asammdf.Signal(values, TIME, name=name, unit=unit) for name, (values, unit) in SIGNALS.items()]
    with asammdf.MDF(version="4.10") as mdf:
        mdf.append(signals)
        mdf.save(tmp_path / "T__r1.mf4", overwrite=True)
    same(read_log(tmp_path / "T__r1.mf4", mapping=mapping(tmp_path)), csv_log(tmp_path))


def test_signals_of_an_mdf_at_rates_of_their_own(tmp_path: Path) -> None:
    """A number goes straight from sample to sample; a flag that changes between two of its samples is not observed there."""
    asammdf = pytest.importorskip("asammdf", reason="pip install 'regc[mdf]'")
    with asammdf.MDF(version="4.10") as mdf:
        for name, (values, unit) in SIGNALS.items():
            every = 10 if name in ("Sensor.ds", "ADAS.warn") else 1
            mdf.append([asammdf.Signal(values[::every], TIME[::every], name=name, unit=unit)])
        mdf.save(tmp_path / "T__r1.mf4", overwrite=True)
    log = read_log(tmp_path / "T__r1.mf4", mapping=mapping(tmp_path))
    assert log.time[-1] == pytest.approx(4.9)  # as far as every number reaches
    np.testing.assert_allclose(log.channels["gap"], 60.0 - 12.0 * log.time, atol=1e-9)
    blind = log.time[~log.observed("warning")]
    assert (blind.min(), blind.max()) == (pytest.approx(0.91), pytest.approx(0.99))


def test_folder_of_mixed_logs(tmp_path: Path) -> None:
    erg_file(tmp_path)
    (tmp_path / "T__r2.dat").write_bytes(b"\0\1")
    (tmp_path / "T__r3.CSV").write_text("time_s,contact\n0,0\n1,0\n2,0\n", encoding="utf-8")
    logs, findings = read_logs([tmp_path])
    assert [(log.info.run, log.problems[0][1][:30] if log.problems else "") for log in logs] == [
        ("1", "has no signal named as a channe"[:30]), ("2", "cannot be read: regc judge rea"), ("3", ""),
    ]  # fmt: skip
    assert [finding.code for finding in findings] == ["S701", "S701"]


# ---- text


def test_comma_decimals_and_semicolons(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(
        "delimiter = ';'\ndecimal = ','\nskip_lines = 2\n[columns]\ntime = { column = 't', unit = 'ms' }\n"
        "gap = { column = 'd', unit = 'cm', factor = -1.0 }\n",
        encoding="utf-8",
    )
    (tmp_path / "T__r1.csv").write_text("bench 7\nrecorded\nt;note;d\n0;a;-100,5\n10;b;-90\n20;;-80\n", encoding="utf-8")
    log = read_log(tmp_path / "T__r1.csv", mapping=read_mapping(tmp_path / "own.toml"))
    assert log.problems == ()
    np.testing.assert_allclose(log.time, [0.0, 0.01, 0.02])
    np.testing.assert_allclose(log.channels["gap"], [1.005, 0.9, 0.8])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("time_s,gap_m\n0,1\n0.01,1,2\n", "line 3 has 3 cells, the header has 2"),
        ("time_s,gap_m\n0,1\n\n0.01,abc\n", "line 4: 'abc' is no number"),
        ("# bench\ntime_s,gap_m\n0,1\n0.01,1;5\n", "line 4: '1;5' is no number"),
        ("gap_m\n0\n1\n", "has no time column with a unit"),
    ],
)
def test_wrong_line_is_named(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "T__r1.csv").write_text(text, encoding="utf-8")
    assert [message for _, message in read_log(tmp_path / "T__r1.csv").problems] == [says]


def test_empty_cells_of_a_flag_are_not_observed(tmp_path: Path) -> None:
    (tmp_path / "T__r1.csv").write_text('time_s,contact,"warning"\n0,,1\n0.01,0,"0"\n0.02,-1,1\n', encoding="utf-8")
    log = read_log(tmp_path / "T__r1.csv")
    assert log.observed("contact").tolist() == [False, True, False]
    assert log.flags["warning"].tolist() == [True, False, True]


def test_a_log_is_read_in_streaming_memory(tmp_path: Path) -> None:
    """200,000 rows of 30 columns, of which four are channels: far less is held than the file has."""
    import tracemalloc

    path = tmp_path / "T__r1.csv"
    others = [f"other_{index}" for index in range(26)]
    with path.open("w", encoding="utf-8") as stream:
        stream.write(",".join(["time_s", "subject_speed_m_s", "gap_m", "contact", *others]) + "\n")
        tail = ",".join(["1.234567"] * len(others))
        for index in range(200_000):
            stream.write(f"{index / 1000:.3f},10.000000,{2000 - index / 100:.6f},0,{tail}\n")
    tracemalloc.start()
    log = read_log(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert log.time.size == 200_000
    assert path.stat().st_size > 50e6
    assert peak < 40e6


def test_written_log_is_read_as_it_was(tmp_path: Path) -> None:
    log = csv_log(tmp_path)
    (tmp_path / "W__none__r2.csv").write_text(csv_text(log), encoding="utf-8")
    (tmp_path / "W__none__r2.json").write_text(sidecar_text(log.info), encoding="utf-8")
    again = read_log(tmp_path / "W__none__r2.csv")
    assert (again.info.scenario, again.info.run) == ("T", "1")  # the sidecar comes before the name
    np.testing.assert_allclose(again.channels["gap"], log.channels["gap"], atol=1e-6)
    assert again.flags["warning"].tolist() == log.flags["warning"].tolist()


# ---- mapping files


def test_starting_mapping_file_of_a_log(tmp_path: Path) -> None:
    (tmp_path / "bench.csv").write_text("Time [s];Subject_Speed [km/h];d_rel;Contact\n0,0;50;3;0\n", encoding="utf-8")
    text = mapping_for(tmp_path / "bench.csv")
    assert 'delimiter = ";"' in text
    assert 'decimal = ","' in text
    assert "time = { column = 'Time [s]', unit = 's' }" in text
    assert "subject_speed = { column = 'Subject_Speed [km/h]', unit = 'km/h' }" in text
    assert "#   d_rel []" in text
    (tmp_path / "own.toml").write_text(text.replace("# gap = { column = '', unit = '' }", "gap = { column = 'd_rel', unit = 'm' }"))
    log = read_log(tmp_path / "bench.csv", mapping=read_mapping(tmp_path / "own.toml"))
    assert {name: float(values[0]) for name, values in log.channels.items()} == {"subject_speed": pytest.approx(50 / 3.6), "gap": 3.0}


def test_starting_mapping_file_of_an_erg(tmp_path: Path) -> None:
    text = mapping_for(erg_file(tmp_path))
    assert "\ntime = { column = 'Time', unit = 's' }" in text
    assert "contact = { column = 'Bumper.contact', unit = '-' }" in text
    assert "#   Sensor.ds [m]" in text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1\n", "no key x (value 1)"),
        ("[columns]\ntime = { column = 3 }\n", "columns.time.column = 3: "),
        ("[columns]\ntime = { column = 't', units = 's' }\n", "no key columns.time.units (value 's')"),
        ("[columns]\n[[bodies]]\n", "bodies.0.scenarios is missing"),
        ("[columns]\nsubject_sped = { column = 'v', unit = 'm/s' }\n", "did you mean subject_speed?"),
        ("[columns]\n[constants]\ncontact = 0\n", "constants.contact = 0: a constant shows nothing"),
    ],
)
def test_wrong_mapping_names_file_key_and_value(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DataFileError) as raised:
        read_mapping(tmp_path / "own.toml")
    assert str(raised.value).startswith("own.toml: ")
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_bodies_of_a_mapping_and_of_a_sidecar(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(
        "[columns]\ntime = { column = 't', unit = 's' }\n[run]\nvehicle_type = 'V'\n"
        "[[bodies]]\nscenarios = ['T']\nsubject_box = { length = 4.5, width = 1.8 }\n",
        encoding="utf-8",
    )
    (tmp_path / "T__r1.csv").write_text("t\n0\n1\n2\n", encoding="utf-8")
    info = read_log(tmp_path / "T__r1.csv", mapping=read_mapping(own)).info
    assert info.subject_box is not None
    assert (info.vehicle_type, info.subject_box.width) == ("V", 1.8)
    (tmp_path / "T__r1.json").write_text(json.dumps({"scenario": "T", "subject_box": {"length": 4.0, "width": 2.0}}), encoding="utf-8")
    other = read_log(tmp_path / "T__r1.csv", mapping=read_mapping(own)).info.subject_box
    assert other is not None
    assert other.width == 2.0
