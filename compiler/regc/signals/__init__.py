"""Signals and events of the vocabulary: what each is, which channels show it, and how it is read from a run."""

from __future__ import annotations

from regc.signals import contact, driver, lateral, longitudinal, steering
from regc.signals.measurement import EventKind, Signal

SIGNALS: dict[str, Signal] = {**contact.SIGNALS, **longitudinal.SIGNALS, **lateral.SIGNALS, **driver.SIGNALS, **steering.SIGNALS}
EVENTS: dict[str, EventKind] = {**contact.EVENTS, **longitudinal.EVENTS, **lateral.EVENTS, **driver.EVENTS, **steering.EVENTS}
