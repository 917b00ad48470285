"""Signals and events of the vocabulary: what each is, which channels show it, and how it is read from a run."""

from __future__ import annotations

from regc.model.criterion import Criterion
from regc.signals import contact, driver, lateral, longitudinal, steering
from regc.signals.reading import EventKind, Signal

SIGNALS: dict[str, Signal] = {**contact.SIGNALS, **longitudinal.SIGNALS, **lateral.SIGNALS, **driver.SIGNALS, **steering.SIGNALS}
EVENTS: dict[str, EventKind] = {**contact.EVENTS, **longitudinal.EVENTS, **lateral.EVENTS, **driver.EVENTS, **steering.EVENTS}


def not_in_logs(criterion: Criterion) -> tuple[str, ...]:
    """The signals and events of a criterion whose evidence is no channel of a log but the record of the test or a declaration, and
    those that nothing reads."""
    read: dict[str, Signal | EventKind | None] = {
        event.name: EVENTS.get(event.name) for event in (criterion.a, criterion.b) if event is not None
    }
    if criterion.signal:
        read[criterion.signal] = SIGNALS.get(criterion.signal)
    return tuple(name for name, what in read.items() if what is None or what.evidence != "log")
