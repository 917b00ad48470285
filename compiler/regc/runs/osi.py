"""Ground-truth traces of the Open Simulation Interface (ASAM OSI) in MCAP files, whose messages bring their own descriptors.

The poses of the host vehicle and of the target give speeds, gap, offset and contact. What a ground truth does not hold (warnings,
braking demand) comes from the sidecar's `events`. `target` of the sidecar or of a mapping's [run] is the id of the target where the
trace has more than one other object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from regc.errors import MissingExtraError
from regc.runs.geometry import Rectangle, Series, Track
from regc.runs.log import BoxInfo, RunInfo, RunLog, from_tracks
from regc.runs.text_logs import BrokenLogError

SUFFIXES = frozenset({".mcap"})
_SCHEMA = "osi3.GroundTruth"
#: Objects that are listed where nobody says which one is the target.
_SHOWN = 6


def read(path: Path, info: RunInfo) -> RunLog:
    """A trace. Raises MissingExtraError where the extra is not installed, BrokenLogError for a file that is no trace of a ground truth
    with a host vehicle and its target."""
    time: list[float] = []
    poses: dict[int, list[tuple[int, Any]]] = {}
    host = 0
    for truth in _messages(path):
        host = int(truth.host_vehicle_id.value)
        for thing in (*truth.moving_object, *truth.stationary_object):
            poses.setdefault(int(thing.id.value), []).append((len(time), thing.base))
        time.append(float(truth.timestamp.seconds) + float(truth.timestamp.nanos) * 1e-9)
    if not time:
        raise BrokenLogError(f"holds no {_SCHEMA}")
    tracks = {"subject": _track(poses, host, "host vehicle", len(time))}
    boxes = {"subject_box": _box_info(tracks["subject"].box)}
    target = _target(sorted(set(poses) - {host}), info.target)
    if target is not None:
        tracks["target"] = _track(poses, target, "target", len(time))
        boxes["target_box"] = _box_info(tracks["target"].box)
    given = {name: box for name, box in boxes.items() if getattr(info, name) is None}
    times = np.array(time)
    own = info.model_copy(update={**given, "engine": "osi" if info.engine == "plain" else info.engine})
    return from_tracks(own, times - times[0], tracks, functional_part=info.events.get("functional_part"))


def _messages(path: Path) -> Iterator[Any]:
    """Every ground truth of a trace, in the order of its log times."""
    try:
        from mcap.exceptions import McapError
        from mcap.reader import make_reader
        from mcap_protobuf.decoder import DecoderFactory
    except ImportError as problem:
        raise MissingExtraError(f"{path.name}: traces in MCAP need mcap-protobuf-support", extra="osi") from problem
    with path.open("rb") as stream:
        try:
            decoders = DecoderFactory()
            for schema, channel, message in make_reader(stream).iter_messages():
                decode = decoders.decoder_for(channel.message_encoding, schema) if schema and schema.name == _SCHEMA else None
                if decode is not None:
                    yield decode(message.data)
        except McapError as problem:
            raise BrokenLogError(f"is no MCAP file: {problem.__class__.__name__}") from problem


def _target(others: list[int], named: str) -> int | None:
    """The id of the target: the one that is named, else the only other object; None where nothing else is there."""
    if named:
        if not named.isdigit() or int(named) not in others:
            raise BrokenLogError(f"has no object {named!r}, which the sidecar names as target; others: {_ids(others)}")
        return int(named)
    if len(others) > 1:
        raise BrokenLogError(f'has {len(others)} objects beside the host vehicle: name the target ("target": "ID"): {_ids(others)}')
    return others[0] if others else None


def _ids(ids: Iterable[int]) -> str:
    numbers = [str(id) for id in ids]
    return ", ".join(numbers[:_SHOWN]) + (", ..." if len(numbers) > _SHOWN else "")


def _track(poses: dict[int, list[tuple[int, Any]]], id: int, name: str, samples: int) -> Track:
    """The poses of an object, whose reference point is the centre of its box. A stationary object has no speed."""
    seen = poses.get(id, [])
    if [sample for sample, _ in seen] != list(range(samples)):
        raise BrokenLogError(f"shows the {name} (id {id}) in {len(seen)} of {samples} samples")
    bases = [base for _, base in seen]
    yaw = np.array([float(base.orientation.yaw) for base in bases])
    along = [
        float(base.velocity.x) * np.cos(turn) + float(base.velocity.y) * np.sin(turn) if hasattr(base, "velocity") else 0.0
        for base, turn in zip(bases, yaw, strict=True)
    ]
    size = bases[0].dimension
    if not (size.length > 0 and size.width > 0):
        raise BrokenLogError(f"states no length and width of the {name} (id {id})")
    return Track(_series(base.position.x for base in bases), _series(base.position.y for base in bases), yaw, np.array(along),
                 Rectangle(float(size.length), float(size.width)))  # fmt: skip


def _series(values: Iterable[float]) -> Series:
    return np.array([float(value) for value in values])


def _box_info(box: Rectangle) -> BoxInfo:
    return BoxInfo(length=box.length, width=box.width, forward=box.forward, left=box.left)
