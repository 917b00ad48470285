"""What a run must show: a predicate over signals and events of a log, and the tables that its limits come from."""

from __future__ import annotations

from typing import Literal

from regc.model.source import Frozen, SourceRef
from regc.model.value import Condition, Sign, Value, Word

#: happens: `a` occurs. never: it does not. before/after: `a` before/after `b`, by at least `by` where given. within: `a` at most `by`
#: after `b`. until: `a` lasts until `b`. longer: `a` lasts longer than `b`, by at least `by` where given. measure: signal, compared
#: with the limit. duration: how long `a` lasts, compared with the limit. assess: a person judges; no log can.
Form = Literal["happens", "never", "before", "after", "within", "until", "longer", "measure", "duration", "assess"]

#: What a key between two rows of a table takes: nothing (an error), the row above or below, or the line between both.
Between = Literal["", "next_higher", "next_lower", "interpolate"]


class Event(Frozen):
    """Something that a log can show at a moment: `name` is of the vocabulary, `argument` its number or word ("line_crossed(0.3 m)").
    `occurrence`: which one where it comes several times (1: the first), 0 for any."""

    name: str
    argument: Value | Word | None = None
    occurrence: int = 0


class Limit(Frozen):
    """What a signal is compared with. `table`: the id of the LimitTable that gave it; the judge reads that table again at the
    measured value of the binding named by `key`. `only`: categories that the mark of its cell restricts it to, with the mark's rule.
    `rows`: what the table calls its key ("subject vehicle speed")."""

    value: Value
    table: str | None = None
    key: str | None = None
    only: tuple[Word, ...] = ()
    rows: str = ""


class Criterion(Frozen):
    """One requirement on a run. `label` is the profile's name for it.

    `only_if`: asked only where these hold. `otherwise`: taken where the reason that `unless` states is on record (a judge never infers
    it). `instead`: the label of the criterion that this one replaces where `only_if` holds. `phase`: the phase of a sequence in
    which it is asked, "" for the whole run. `called`: what the document calls the signal where it has several names.
    """

    label: str
    phase: str = ""
    form: Form
    a: Event | None = None
    b: Event | None = None
    by: Value | None = None
    signal: str | None = None
    called: str = ""
    mean_over: Value | None = None
    sign: Sign | None = None
    limit: Limit | None = None
    only_if: tuple[Condition, ...] = ()
    unless: Condition | None = None
    otherwise: Criterion | None = None
    instead: str = ""
    sources: tuple[SourceRef, ...] = ()


class LimitRow(Frozen):
    """One row of a limit table: the key and the limit, None where the cell asks nothing. `only`: categories that a mark restricts
    the cell to."""

    key: Value
    limit: Value | None
    only: tuple[str, ...] = ()


class LimitTable(Frozen):
    """One column of a declared lookup table as one choice of axis values sees it; rows by rising key.

    `id`: "<name>:<table>:<axis>=<value>,...", unique in a suite. `beyond`: axis value -> id of the table that holds
    past it, e.g. past the running order mass the column of the maximum mass.
    """

    id: str
    name: str
    table: str
    axes: dict[str, str]
    rows: tuple[LimitRow, ...]
    between: Between = ""
    between_sources: tuple[SourceRef, ...] = ()
    beyond: dict[str, str] = {}
    beyond_sources: tuple[SourceRef, ...] = ()


Criterion.model_rebuild()
