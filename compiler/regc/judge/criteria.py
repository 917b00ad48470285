"""Criteria as predicates over signals and events of a run: met, not met, or missing where log, declaration or record leave it open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from regc.judge import comparison
from regc.judge.comparison import JudgedLimit, LimitTables, Looked, compared, kmh, nominal, place, shown, si
from regc.judge.declarations import Declarations, decide, resolved
from regc.judge.moments import phase_part, whole_run
from regc.judge.verdict import Check, CheckResult
from regc.model.criterion import Criterion, Event
from regc.model.scenario import Scenario
from regc.model.value import Stated, Value, Word
from regc.runs.log import RunInfo
from regc.signals import EVENTS, SIGNALS
from regc.signals.contact import closing_speed
from regc.signals.measurement import FLOAT_NOISE, OPEN, Happening, Measured, Reading
from regc.wording import amount, condition, criterion, event, unit

_STRICTER_IS_LOWER = ("<=", "<")


@dataclass(frozen=True)
class Asked:
    """What the criteria of one run are asked of. `rows` of the limit tables that were used are collected for the verdict."""

    scenario: Scenario
    reading: Reading
    tables: LimitTables
    declarations: Declarations

    @property
    def info(self) -> RunInfo:
        """The run's sidecar."""
        return self.reading.log.info

    @property
    def clause(self) -> str:
        """Where the test stands, for what has no place of its own."""
        return f"{self.scenario.regulation} {self.scenario.clause}"


def criterion_checks(asked: Asked) -> list[Check]:
    """Every criterion of the scenario, in its order; one that another replaces, or that is not asked of this vehicle, says so."""
    checks: list[Check] = []
    for item in asked.scenario.require:
        replacements = [other for other in asked.scenario.require if other.instead == item.label]
        if item.instead and any(other.label == item.instead for other in asked.scenario.require):
            continue  # told with the one that it replaces
        checks.extend(_with_replacements(item, replacements, asked))
    return checks


def _with_replacements(item: Criterion, replacements: Sequence[Criterion], asked: Asked) -> list[Check]:
    """A criterion and those that replace it under a condition. What is not declared leaves both possible: a fail only if all fail, a
    pass only if all pass."""
    conditions = {id(other): decide(other.only_if, asked.scenario, asked.info, asked.declarations) for other in replacements}
    for other in replacements:
        if conditions[id(other)].holds is True:
            return [_not_asked(item, asked, f"replaced by {criterion(other)}"), _checked(other, asked)]
    own = decide(item.only_if, asked.scenario, asked.info, asked.declarations)
    if own.holds is False:
        checks = [_not_asked(item, asked, "not asked of this vehicle")]
    else:
        check = _checked(item, asked)
        checks = [check if own.holds else _either(check, None, own.needs)]
    for other in replacements:
        decided = conditions[id(other)]
        if decided.holds is False:
            checks.append(_not_asked(other, asked, "not asked of this vehicle"))
        else:
            checks = [_either(checks[0], _checked(other, asked), decided.needs), *checks[1:]]
    return checks


def _either(first: Check, other: Check | None, needs: Sequence[str]) -> Check:
    """One of two criteria holds, or (None) nothing is asked, and nobody has declared which."""
    results = {first.result, other.result if other is not None else "met"}
    if first.result == "not_applicable" and other is None:
        return first
    if len(results) == 1:
        return first if other is None else _noted(first, f"as well as {other.name.lower()}")
    told = f"declare {', '.join(needs)} (declare.toml): it decides whether this is asked"
    if other is not None:
        told += f" or {other.name.lower()} ({other.result.replace('_', ' ')}{': ' + other.measured if other.measured else ''})"
    return _noted(first.model_copy(update={"result": "missing"}), told)


def _noted(check: Check, note: str) -> Check:
    return check.model_copy(update={"note": "; ".join(part for part in (check.note, note) if part)})


def _not_asked(item: Criterion, asked: Asked, note: str) -> Check:
    clause = place(item.sources, asked.clause)
    return Check(part="criterion", label=item.label, name=criterion(item), result="not_applicable", clause=clause, note=note)


def _checked(item: Criterion, asked: Asked) -> Check:
    """A criterion that is asked: in its other form, or not at all where it has none, when the reason for that is on record."""
    if item.unless is None:
        return _evaluated(item, asked)
    main = item.model_copy(update={"otherwise": None})
    name = item.unless.name or item.label if isinstance(item.unless, Stated) else ""
    reason = asked.declarations.reason(name, asked.scenario, asked.info) if name else ""
    if reason or decide((item.unless,), asked.scenario, asked.info, asked.declarations).holds:
        told = f"on record: {reason or condition(item.unless)}"
        if item.otherwise is None:
            return _not_asked(item, asked, told)
        return _noted(_evaluated(item.otherwise.model_copy(update={"label": item.label}), asked), told)
    check = _evaluated(main, asked)
    if check.result == "not_met" and (item.otherwise is None or _evaluated(item.otherwise, asked).result == "met"):
        return _noted(check, f"its exception ({condition(item.unless)}) is not on record" + (f" (reasons.{name})" if name else ""))
    return check


def _evaluated(item: Criterion, asked: Asked) -> Check:
    part: Reading | str = whole_run(asked.scenario, asked.reading)
    if item.phase:
        part = within_phase(asked, item.phase)
    if isinstance(part, str):
        check = _Answer("missing", note=part)
    elif item.form == "assess":
        check = _Answer("not_applicable", note="assessed by a person, not by a log")
    else:
        asked = replace(asked, reading=part)
        forms = {"measure": _measure, "duration": _duration, **_ORDERS}
        check = forms[item.form](item, asked)
    return Check(
        part="criterion",
        label=item.label,
        name=criterion(replace_otherwise(item)),
        result=check.result,
        measured=check.measured,
        bracket=check.bracket,
        required=check.required,
        value=check.value,
        clause=check.clause or place(item.sources, asked.clause),
        note=check.note,
        proxy=check.proxy,
    )


def replace_otherwise(item: Criterion) -> Criterion:
    """The criterion as it is asked, without its other form and conditions, for its sentence."""
    return item.model_copy(update={"otherwise": None, "unless": None, "only_if": ()})


@dataclass(frozen=True)
class _Answer:
    result: CheckResult
    measured: str = ""
    bracket: str = ""
    required: str = ""
    value: float | None = None
    clause: str = ""
    note: str = ""
    proxy: str = ""


# ------------------------------------------------------------ measure: a signal and its limit


def _measure(item: Criterion, asked: Asked) -> _Answer:
    assert item.signal is not None
    assert item.limit is not None
    assert item.sign is not None
    signal = SIGNALS.get(item.signal)
    if signal is None:
        return _Answer("missing", note=f"this version does not know the signal {item.signal}")
    over = si(item.mean_over.number, item.mean_over.unit) if item.mean_over is not None else 0.0
    measured = signal.measure(asked.reading, over)
    told = resolved(item.limit.value, asked.scenario, asked.info, asked.declarations)
    value = told if isinstance(told, Value) else item.limit.value
    if not value.is_number:
        needs = f": declare {told}" if isinstance(told, str) else ""
        return _Answer("missing", measured=_shown(measured, value), note=f"the limit {amount(value)} hangs on what is declared{needs}")
    asks = item.model_copy(update={"limit": item.limit.model_copy(update={"value": value})})
    rows, unknown = limit_rows(asks, asked)
    lower = item.sign in _STRICTER_IS_LOWER
    strict = min(rows, key=lambda row: row.limit if lower else -row.limit)
    sign = {"<=": "<=", ">=": ">=", "<": "<", ">": ">", "==": "=", "!=": "not"}[item.sign]
    wanted = f"{sign} {strict.digits} {unit(strict.unit)}".strip() + (f" (row {strict.label})" if strict.label else "")
    notes = [measured.note] if measured.note else []
    if len(rows) > 1:
        told = ", ".join(f"row {row.label}: {row.digits} {unit(row.unit)}" for row in rows)
        notes.append(f"nominal and measured row differ ({told}); judged by the {'lower' if lower else 'higher'} limit")
    clause = strict.clause or place(item.sources, asked.clause)
    if measured.value is None:
        bench = measured.bench_only and asked.info.simulated
        result: CheckResult = "not_applicable" if bench else "missing"
        return _Answer(result, measured=measured.shown, required=wanted, clause=clause, note="; ".join(notes))
    result = compared(measured.least, measured.most, item.sign, strict.limit)
    if result == "missing" and not measured.note:
        notes.append(OPEN)
    result, more = _doubts(asks, asked, measured, result, strict, unknown)
    return _Answer(
        result,
        measured=measured.shown or shown(measured.value, value.unit, against=strict.limit),
        bracket="" if measured.shown else comparison.bracket(measured.least, measured.most, value.unit, 2),
        required=wanted,
        value=round(comparison.in_unit(measured.value, value.unit), 6),
        clause=clause,
        note="; ".join([*notes, *more]),
        proxy=measured.proxy,
    )


def _shown(measured: Measured, value: Value) -> str:
    return measured.shown or (shown(measured.value, value.unit) if measured.value is not None else "")


def _doubts(
    item: Criterion, asked: Asked, measured: Measured, result: CheckResult, strict: JudgedLimit, unknown: str
) -> tuple[CheckResult, list[str]]:
    """What may turn a clear result into an open one: a row that nobody knows, a row for some vehicles only, a mass past the column."""
    notes: list[str] = []
    contact_free = bool(measured.shown) and measured.value == 0.0
    if unknown and not contact_free:
        notes.append(unknown)
        # A row that nobody knows may ask for more than the one that is known; without contact, every row is met.
        result = "missing" if result == "met" else result
    category = asked.info.category
    if strict.only and category not in strict.only and result == "not_met":
        if not category:
            notes.append(f"the row holds for {', '.join(strict.only)} only: name the vehicle's category (category in the sidecar)")
            result = "missing"
        else:
            notes.append(f"the row holds for {', '.join(strict.only)} only")
            result = "not_applicable"
    other = _beyond(item, asked)
    if other is not None and result == "not_met":
        row, said = other
        # Past its own axis value the document reads another column; which one binds this run is for a person to say.
        laxer = compared(measured.least, measured.most, item.sign or "<=", row.limit)
        if laxer != "not_met":
            notes.append(f"above its own mass the column of the other load state holds ({said}): {row.digits} {unit(row.unit)}")
            result = "missing"
    return result, notes


def limit_rows(item: Criterion, asked: Asked) -> tuple[list[JudgedLimit], str]:
    """The nominal row of a limit and, where it differs, the row of the measured key; and why that one is not known."""
    assert item.limit is not None
    limit = item.limit
    key = asked.scenario.number(limit.key) if limit.key else None
    key = key if key is not None and key.is_number else None
    there = asked.tables.at(limit.table, si(key.number, key.unit), asked.info.category) if limit.table and key else Looked(None)
    only = asked.tables.only(limit.table, key) if key is not None else ()
    own = nominal(limit.value, key, there)
    own = replace(own, only=own.only or only)
    at = key_at(limit.key, asked.reading) if limit.key else None
    if limit.table is None or at is None:
        return [own], ""
    looked = asked.tables.at(limit.table, at, asked.info.category)
    if looked.row is not None and own.only and asked.info.category and asked.info.category not in own.only:
        return [looked.row], looked.unknown
    if looked.row is None or looked.row.label == own.label:
        return [own], looked.unknown
    return [own, looked.row], looked.unknown


def key_at(key: str, reading: Reading) -> float | None:
    """The measured value (SI) of the binding that a limit table is read at, at the start of the functional part."""
    log = reading.log
    channel = {
        "relative": closing_speed(log, reading.motion),
        "subject": log.get("subject_speed"),
        "target": log.get("target_speed"),
        "gap": log.get("gap"),
    }.get(key)
    return None if channel is None else float(np.interp(reading.at.begins, log.time, channel))


def _beyond(item: Criterion, asked: Asked) -> tuple[JudgedLimit, str] | None:
    """The row of the column that the document reads above the mass of the scenario's own one."""
    limit, info, state = item.limit, asked.info, asked.scenario.conditions.get("mass")
    if limit is None or limit.table is None or limit.key is None or info.mass is None or info.running_order_mass is None:
        return None
    table, at = asked.tables.get(limit.table), key_at(limit.key, asked.reading)
    other = asked.tables.beyond(limit.table, table.axes) if table is not None else None
    if other is None or at is None or not isinstance(state, Word) or info.mass <= info.running_order_mass + FLOAT_NOISE:
        return None
    row = asked.tables.at(other[0], at, info.category).row
    return (row, other[1]) if row is not None else None


# ------------------------------------------------------------ events in time


def _find(happening: Event | None, asked: Asked) -> Happening:
    assert happening is not None
    kind = EVENTS.get(happening.name)
    if kind is None:
        return Happening(None, note=f"this version does not know the event {happening.name}")
    argument = happening.argument
    if isinstance(argument, Value) and not argument.is_number:
        return Happening(None, note=f"{amount(argument)} hangs on what is declared")
    taken = argument.word if isinstance(argument, Word) else si(argument.number, argument.unit) if argument is not None else 0.0
    return _occurrence(kind.find(asked.reading, taken), happening, asked.reading)


def _occurrence(occurred: Happening, happening: Event, reading: Reading) -> Happening:
    """One of several: the second is not the first, and where a log ends too early it may still come."""
    count = happening.occurrence
    if not count or not occurred.seen:
        return occurred
    if count <= len(occurred.spans):
        return replace(occurred, spans=occurred.spans[count - 1 : count])
    note = f"it came {len(occurred.spans)} times"
    return replace(occurred, seen=False if reading.outcome.over else None, spans=(), note=note)


def within_phase(asked: Asked, phase: str) -> Reading | str:
    """The run within a phase, or why the log does not show it."""
    return phase_part(asked.scenario, asked.reading, phase, lambda until, cut: _first_held(until, replace(asked, reading=cut)))


def _first_held(item: Criterion, asked: Asked) -> float | None:
    """When the event that a criterion asks for came, in s; None where it did not, or the log does not show it."""
    if item.a is None or item.form not in ("happens", "after", "within"):
        return None
    occurred = _find(item.a, asked)
    return occurred.onset.latest if occurred.seen else None


def _open(occurred: Happening, asked: Asked, name: str, required: str = "") -> _Answer:
    bench = occurred.bench_only and asked.info.simulated
    note = occurred.note or f"{name} is not shown"
    return _Answer("not_applicable" if bench else "missing", required=required, note=note, proxy=occurred.proxy)


def _happens(item: Criterion, asked: Asked) -> _Answer:
    occurred = _find(item.a, asked)
    assert item.a is not None
    if occurred.seen is None:
        return _open(occurred, asked, event(item.a))
    measured = f"at {occurred.onset.latest:.3f} s" if occurred.seen else "none"
    return _Answer("met" if occurred.seen else "not_met", measured, required=event(item.a), proxy=occurred.proxy)


def _never(item: Criterion, asked: Asked) -> _Answer:
    occurred = _find(item.a, asked)
    assert item.a is not None
    wanted = f"no {event(item.a)}"
    if occurred.seen is None:
        return _open(occurred, asked, event(item.a), wanted)
    measured = f"at {occurred.onset.latest:.3f} s" if occurred.seen else "none"
    result: CheckResult = "not_met" if occurred.seen else "met"
    if result == "not_met" and occurred.proxy:
        driver = asked.reading.log.flags.get("driver_input")
        if driver is None or driver[asked.reading.part].any():
            return _Answer(
                "missing", measured, required=wanted, note="the driver may have braked: log driver_input", proxy=occurred.proxy
            )
    return _Answer(result, measured, required=wanted, proxy=occurred.proxy)


def _before(item: Criterion, asked: Asked) -> _Answer:
    """`a` before `b`, by at least `by`. It holds too where `a` happens and `b` never does."""
    assert item.a is not None
    assert item.b is not None
    first, second = _find(item.a, asked), _find(item.b, asked)
    lead = si(item.by.number, item.by.unit) if item.by is not None and item.by.is_number else 0.0
    b = event(item.b)
    wanted = f">= {amount(item.by)} before {b}" if item.by is not None else f"no later than {b}"
    if item.by is not None and not item.by.is_number:
        return _Answer("missing", required=wanted, note=f"{amount(item.by)} hangs on what is declared")
    if first.seen is None and not (second.seen and first.watched_until >= second.onset.latest - FLOAT_NOISE):
        answer = _open(first, asked, event(item.a), wanted)
        return replace(answer, measured="none in what the log shows" if first.watched_until > -np.inf else "")
    proxy = _proxies(first, second, asked, item)
    if not first.seen:
        return _Answer("not_met", "none", required=wanted, proxy=proxy)
    if second.seen is None:
        least, most = second.watched_until - first.onset.latest, np.inf
        if second.watched_until == -np.inf or least < lead - FLOAT_NOISE:
            return replace(_open(second, asked, b, wanted), proxy=proxy)
        return _Answer("met", f"at {first.onset.latest:.3f} s", required=wanted, proxy=proxy, note=f"no {b} up to the end of the log")
    if not second.seen:
        return _Answer("met", f"no {b} followed", required=wanted, proxy=proxy)
    least, most = second.onset.earliest - first.onset.latest, second.onset.latest - first.onset.earliest
    return _timed(second.onset.latest - first.onset.latest, least, most, lead, wanted, f"before {b}", proxy, at_least=True)


def _after(item: Criterion, asked: Asked) -> _Answer:
    """`a` after `b`, by at least `by`."""
    assert item.a is not None
    assert item.b is not None
    first, second = _find(item.a, asked), _find(item.b, asked)
    delay = si(item.by.number, item.by.unit) if item.by is not None and item.by.is_number else 0.0
    b = event(item.b)
    wanted = f">= {amount(item.by)} after {b}" if item.by is not None else f"after {b}"
    for occurred, name in ((first, event(item.a)), (second, b)):
        if occurred.seen is None:
            return _open(occurred, asked, name, wanted)
    if not first.seen or not second.seen:
        return _Answer("not_met", "none" if not first.seen else f"no {b}", required=wanted)
    least, most = first.onset.earliest - second.onset.latest, first.onset.latest - second.onset.earliest
    lasted = first.onset.latest - second.onset.latest
    return _timed(lasted, least, most, delay, wanted, f"after {b}", _proxies(first, second, asked, item), at_least=True)


def _within(item: Criterion, asked: Asked) -> _Answer:
    """`a` at most `by` after `b`; an `a` that lasts when `b` comes is in time. Where `b` does not come, the run shows nothing."""
    assert item.a is not None
    assert item.b is not None
    assert item.by is not None
    first, second = _find(item.a, asked), _find(item.b, asked)
    b, wanted = event(item.b), f"<= {amount(item.by)} after {event(item.b)}"
    if not item.by.is_number:
        return _Answer("missing", required=wanted, note=f"{amount(item.by)} hangs on what is declared")
    most_allowed = si(item.by.number, item.by.unit)
    if second.seen is None:
        return _open(second, asked, b, wanted)
    if not second.seen:
        return _Answer("missing", f"no {b}", required=wanted, note=f"{b} did not come, so the run does not show this")
    proxy = _proxies(first, second, asked, item)
    deadline = second.onset.latest + most_allowed
    late = [(begins, ends) for begins, ends in first.spans if ends is None or ends.latest >= second.onset.earliest]
    if not late:
        watched = first.watched_until >= deadline - FLOAT_NOISE or first.seen is False
        return _Answer("not_met" if watched else "missing", "none", required=wanted, note="" if watched else first.note, proxy=proxy)
    begins = late[0][0]
    least, most = begins.earliest - second.onset.latest, begins.latest - second.onset.earliest
    lasted = max(begins.latest - second.onset.latest, 0.0)
    return _timed(lasted, max(least, 0.0), max(most, 0.0), most_allowed, wanted, f"after {b}", proxy, at_least=False)


def _until(item: Criterion, asked: Asked) -> _Answer:
    """`a` lasts from its beginning until `b`; without `b` to the end of the test."""
    assert item.a is not None
    assert item.b is not None
    first, second = _find(item.a, asked), _find(item.b, asked)
    a, b = event(item.a), event(item.b)
    wanted = f"until {b}"
    if first.seen is None:
        return _open(first, asked, a, wanted)
    if not first.seen:
        return _Answer("not_met", "none", required=wanted)
    ends = first.spans[0][1]
    if second.seen is None:
        return _open(second, asked, b, wanted)
    if ends is None:
        over = second.seen or asked.reading.outcome.over
        note = "" if over else "the log ends before"
        return _Answer("met" if over else "missing", "to the end of the log", required=wanted, note=note)
    if not second.seen:
        return _Answer("not_met", f"ends at {ends.latest:.3f} s; no {b}", required=wanted)
    least, most = ends.earliest - second.onset.latest, ends.latest - second.onset.earliest
    result: CheckResult = "met" if least >= -FLOAT_NOISE else "not_met" if most < -FLOAT_NOISE else "missing"
    measured = f"ends at {ends.latest:.3f} s, {b} at {second.onset.latest:.3f} s"
    note = OPEN if result == "missing" else ""
    return _Answer(
        result, measured, comparison.bracket(least, most, "s"), wanted, note=note, proxy=_proxies(first, second, asked, item)
    )


def _duration(item: Criterion, asked: Asked) -> _Answer:
    """How long `a` lasts at a time: the longest of its occurrences."""
    assert item.a is not None
    assert item.sign is not None
    assert item.limit is not None
    occurred, value = _find(item.a, asked), item.limit.value
    wanted = f"{item.sign} {amount(value)}"
    if not value.is_number:
        return _Answer("missing", required=wanted, note=f"{amount(value)} hangs on what is declared")
    limit = si(value.number, value.unit)
    if occurred.seen is None:
        return _open(occurred, asked, event(item.a), wanted)
    if not occurred.seen:
        return _Answer(compared(0.0, 0.0, item.sign, limit), "none", required=wanted, value=0.0)
    lasted = _lasted(occurred, asked)
    least, most = max(lasted, key=lambda span: span[0])
    most = max(span[1] for span in lasted)
    result = compared(max(least, 0.0), most, item.sign, limit)
    measured = f"{max(least, 0.0):.3f} s" + (" (to the end of the log)" if most == np.inf else "")
    bracket = comparison.bracket(max(least, 0.0), most, "s")
    return _Answer(result, measured, bracket, wanted, value=round(max(least, 0.0), 6), note=OPEN if result == "missing" else "")


def _lasted(occurred: Happening, asked: Asked) -> list[tuple[float, float]]:
    """How long an event lasted at least and at most each time, in s; what goes on at the end of the log may last for ever."""
    end_of_log = float(asked.reading.log.time[asked.reading.at.last])
    return [
        (ends.earliest - begins.latest, ends.latest - begins.earliest) if ends is not None else (end_of_log - begins.latest, np.inf)
        for begins, ends in occurred.spans
    ]


def _longer(item: Criterion, asked: Asked) -> _Answer:
    """`a` lasts longer than `b`, by at least `by`; each as it first came, or as its ordinal says."""
    assert item.a is not None
    assert item.b is not None
    first, second = _find(item.a, asked), _find(item.b, asked)
    a, b = event(item.a), event(item.b)
    wanted = f"{amount(item.by)} longer than {b}" if item.by is not None else f"longer than {b}"
    if item.by is not None and not item.by.is_number:
        return _Answer("missing", required=wanted, note=f"{amount(item.by)} hangs on what is declared")
    for occurred, name in ((second, b), (first, a)):
        if occurred.seen is None:
            return _open(occurred, asked, name, wanted)
    if not first.seen:
        return _Answer("not_met", "none", required=wanted)
    if not second.seen:
        return _Answer("missing", f"no {b}", required=wanted, note=f"{b} did not come, so the run does not show this")
    (least, most), (least_other, most_other) = _lasted(first, asked)[0], _lasted(second, asked)[0]
    if most_other == np.inf:
        return _Answer("missing", required=wanted, note=f"{b} lasts to the end of the log")
    bound = si(item.by.number, item.by.unit) if item.by is not None else 0.0
    more = (least + (most if most < np.inf else least) - least_other - most_other) / 2
    proxy = _proxies(first, second, asked, item)
    return _timed(more, least - most_other, most - least_other, bound, wanted, f"longer than {b}", proxy, at_least=True)


def _timed(value: float, least: float, most: float, bound: float, wanted: str, words: str, proxy: str, *, at_least: bool) -> _Answer:
    """A time between two events against its bound; `least` and `most` are what their samples allow, both open: an event lies after the
    sample before it."""
    open_ended = least < most
    if at_least:
        met = least >= bound - FLOAT_NOISE
        short = most < bound - FLOAT_NOISE or (open_ended and most <= bound + FLOAT_NOISE)
        result: CheckResult = "met" if met else "not_met" if short else "missing"
    else:
        over = least > bound + FLOAT_NOISE or (open_ended and least >= bound - FLOAT_NOISE)
        result = "met" if most <= bound + FLOAT_NOISE else "not_met" if over else "missing"
    return _Answer(
        result,
        measured=f"{value:.3f} s {words}",
        bracket=comparison.bracket(least, most, "s") if open_ended else "",
        required=wanted,
        value=round(value, 6),
        note="" if result != "missing" else "what stands in for a channel leaves it open" if proxy else OPEN,
        proxy=proxy,
    )


def _proxies(first: Happening, second: Happening, asked: Asked, item: Criterion) -> str:
    names = zip((first, second), (item.a, item.b), strict=True)
    return "; ".join(f"{event(of)} from the {occurred.proxy}" for occurred, of in names if occurred.proxy and of is not None)


_ORDERS = {
    "happens": _happens,
    "never": _never,
    "before": _before,
    "after": _after,
    "within": _within,
    "until": _until,
    "longer": _longer,
}


def lookup(asked: Asked) -> tuple[float | None, list[JudgedLimit]]:
    """The measured key of the first limit that a table gives (SI), and the rows that it was held against."""
    for item in asked.scenario.require:
        if item.form == "measure" and item.limit is not None and item.limit.key and item.limit.value.is_number:
            return key_at(item.limit.key, asked.reading), limit_rows(item, asked)[0]
    return None, []


def in_kmh(speed: float | None) -> float | None:
    """A speed as verdicts have it."""
    return None if speed is None else float(kmh(speed))
