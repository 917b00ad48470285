"""OSI ground-truth traces in MCAP, written here with a descriptor of the messages' own field numbers (OSI 3)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.judge.suites import un152

from regc.judge.campaign import judge
from regc.runs.read import read_log

writer = pytest.importorskip("mcap.writer", reason="pip install 'regc[osi]'")
pytest.importorskip("mcap_protobuf", reason="pip install 'regc[osi]'")

C40 = "UNR152-02_p6.4_CtoStC_M1_MassRun_040"
#: message -> field -> (number, type)
MESSAGES: dict[str, dict[str, tuple[int, str]]] = {
    "Timestamp": {"seconds": (1, "int64"), "nanos": (2, "uint32")},
    "Identifier": {"value": (1, "uint64")},
    "Vector3d": {"x": (1, "double"), "y": (2, "double"), "z": (3, "double")},
    "Dimension3d": {"length": (1, "double"), "width": (2, "double"), "height": (3, "double")},
    "Orientation3d": {"roll": (1, "double"), "pitch": (2, "double"), "yaw": (3, "double")},
    "BaseMoving": {
        "dimension": (1, "Dimension3d"), "position": (2, "Vector3d"), "orientation": (3, "Orientation3d"), "velocity": (4, "Vector3d"),
    },
    "BaseStationary": {"dimension": (1, "Dimension3d"), "position": (2, "Vector3d"), "orientation": (3, "Orientation3d")},
    "MovingObject": {"id": (1, "Identifier"), "base": (2, "BaseMoving")},
    "StationaryObject": {"id": (1, "Identifier"), "base": (2, "BaseStationary")},
    "GroundTruth": {
        "timestamp": (2, "Timestamp"), "host_vehicle_id": (3, "Identifier"), "stationary_object": (4, "*StationaryObject"),
        "moving_object": (5, "*MovingObject"),
    },
}  # fmt: skip


def descriptors() -> Any:
    from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto

    file = FileDescriptorProto(name="osi_groundtruth.proto", package="osi3", syntax="proto2")
    for message, fields in MESSAGES.items():
        own = file.message_type.add(name=message)
        for name, (number, kind) in fields.items():
            label = FieldDescriptorProto.LABEL_REPEATED if kind.startswith("*") else FieldDescriptorProto.LABEL_OPTIONAL
            field = own.field.add(name=name, number=number, label=label)
            if kind.lstrip("*") in MESSAGES:
                field.type, field.type_name = FieldDescriptorProto.TYPE_MESSAGE, f".osi3.{kind.lstrip('*')}"
            else:
                field.type = getattr(FieldDescriptorProto, f"TYPE_{kind.upper()}")
    return file


def trace(path: Path, *, braking: float = 1.2, rate: float = 8.0, others: int = 1, schema: str = "osi3.GroundTruth") -> Path:
    """40 km/h towards a standing car that stands 6.7 s ahead, braking from a time to collision on; 50 Hz, the start at 100 s."""
    from google.protobuf import descriptor_pool, message_factory
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    file = descriptors()
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    made = message_factory.GetMessageClass(pool.FindMessageTypeByName("osi3.GroundTruth"))
    with path.open("wb") as stream:
        log = writer.Writer(stream)
        log.start()
        kind = log.register_schema(name=schema, encoding="protobuf", data=FileDescriptorSet(file=[file]).SerializeToString())
        channel = log.register_channel(topic="ground_truth", message_encoding="protobuf", schema_id=kind)
        for time, way, speed in samples(braking, rate):
            truth = made()
            nanos = round((100 + time) * 1e9)
            truth.timestamp.seconds, truth.timestamp.nanos = nanos // 10**9, nanos % 10**9
            truth.host_vehicle_id.value = 1
            host = truth.moving_object.add()
            host.id.value = 1
            host.base.dimension.length, host.base.dimension.width = 4.5, 1.8
            host.base.position.x, host.base.velocity.x = way - 2.25, speed
            for number in range(others):
                car = truth.moving_object.add()
                car.id.value = 7 + number
                car.base.dimension.length, car.base.dimension.width = 4.0, 1.7
                car.base.position.x, car.base.position.y = 40 / 3.6 * 6.7 + 2.0, 3.5 * number
            log.add_message(channel, log_time=nanos, data=truth.SerializeToString(), publish_time=nanos)
        log.finish()
    sidecar = {"scenario": C40, "events": {"functional_part": 2.5, "warning": 4.4, "braking": 6.7 - braking}}
    path.with_suffix(".json").write_text(json.dumps(sidecar), encoding="utf-8")
    return path


def samples(braking: float, rate: float) -> Iterator[tuple[float, float, float]]:
    """Time, way of the front and speed in closed form."""
    v, begins = 40 / 3.6, 6.7 - braking
    for time in np.arange(0.0, 10.0, 0.02):
        braked = min(max(time - begins, 0.0), v / rate)
        yield float(time), v * min(time, begins) + v * braked - rate * braked**2 / 2, v - rate * braked


def test_trace_is_read(tmp_path: Path) -> None:
    log = read_log(trace(tmp_path / f"{C40}__r1.mcap"))
    assert log.problems == ()
    assert (log.time[0], log.time[-1]) == (0.0, pytest.approx(9.98))
    assert log.channels["gap"][0] == pytest.approx(40 / 3.6 * 6.7)
    assert log.channels["subject_speed"][0] == pytest.approx(40 / 3.6)
    assert log.channels["target_speed"].max() == 0
    assert not log.flags["contact"].any()


@pytest.mark.parametrize(("braking", "rate", "impact"), [(1.2, 8.0, 0.0), (0.5, 6.0, 27.13)])
def test_trace_with_the_events_of_its_sidecar_is_judged(tmp_path: Path, braking: float, rate: float, impact: float) -> None:
    log = read_log(trace(tmp_path / f"{C40}__r1.mcap", braking=braking, rate=rate))
    (run,) = judge(un152(), [log]).runs  # 40 km/h squared less 2 * 6 m/s2 * 40 km/h * 0.5 s: 27.13 km/h
    found = run.criterion("impact")
    assert found is not None
    assert (found.result, found.value) == ("met" if not impact else "not_met", pytest.approx(impact, abs=0.01))
    warning = run.criterion("warning")
    assert warning is not None
    assert warning.result == "met"
    # which modes warned, what was demanded, and so who braked, no ground truth tells
    assert run.verdict == "incomplete"


def test_target_is_named_where_there_are_several(tmp_path: Path) -> None:
    path = trace(tmp_path / f"{C40}__r1.mcap", others=2)
    assert 'name the target ("target": "ID"): 7, 8' in read_log(path).problems[0][1]
    sidecar = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    path.with_suffix(".json").write_text(json.dumps({**sidecar, "target": "8"}), encoding="utf-8")
    assert read_log(path).channels["lateral_offset"][0] == pytest.approx(3.5)


@pytest.mark.parametrize(
    ("schema", "cut", "says"), [("osi3.SensorView", None, "holds no osi3.GroundTruth"), ("", 40, "is no MCAP file")]
)
def test_what_is_no_trace_stays_a_run(tmp_path: Path, schema: str, cut: int | None, says: str) -> None:
    path = trace(tmp_path / f"{C40}__r1.mcap", schema=schema or "osi3.GroundTruth")
    path.write_bytes(path.read_bytes()[:cut])
    log = read_log(path)
    assert [kind for kind, _ in log.problems] == ["invalid"]
    assert says in log.problems[0][1]
