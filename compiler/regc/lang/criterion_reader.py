"""Criteria as predicates: what a run must show, over signals and events.

criterion := ["no"] event | event before event ["by" T] | event after event ["by" T] | event within T after event | event until event
           | event longer than event ["by" T] | signal sign X | moving_average(signal, T) sign X | duration(event) sign T
           | assess [place]                          event := ["first" | "second" | ...] NAME [ "(" X ")" ]
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from regc.lang.expressions import table_lookup
from regc.lang.faults import ProfileError, known
from regc.lang.located_toml import Text, where
from regc.lang.profile import CriterionSpec
from regc.lang.values import either_side, place_of_bound, say
from regc.lang.vocabulary import BindingKind, vocabulary
from regc.model.criterion import Criterion, Event, Form, Limit
from regc.model.source import SourceRef
from regc.model.value import YES, Condition, Sign, Stated, Value, Word
from regc.wording import named_in

if TYPE_CHECKING:
    from regc.lang.expressions import Scope
    from regc.lang.tables import TableView

_PLACE = re.compile(r"\[[^\[\]]+\](?!\])")
#: An event; inside the brackets of its argument may be an expression with brackets of its own, three deep.
_EVENT = rf"(?:(?:{'|'.join(vocabulary().ordinals)}) )?" r"\w+(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?"
_SHAPE = (
    "event | no event | A before B [by T] | A after B [by T] | A within T after B | A until B | A longer than B [by T] | signal <= X"
    " | moving_average(signal, T) <= X | duration(A) >= T | assess [place]"
)
#: The bounds that the words of a limit may show beside a sign.
_FITTING: dict[str, tuple[str, ...]] = {"<=": ("eq", "le"), "<": ("eq", "lt"), ">=": ("eq", "ge"), ">": ("eq", "gt")}


#: Puts the places back into a part of a predicate.
_Back = Callable[[str], Text]


class CriterionReader:
    """Reads the criteria of one test."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def read(self, label: str, spec: CriterionSpec) -> Criterion | None:
        """One entry of `require`; None where its limit asks nothing of this test.

        Raises E405 (no predicate), E406 (the words bound the other side), P101 (unknown signal or event).
        """
        criterion = self.predicate(label, spec.is_)
        if criterion is None:
            return None
        told = spec.else_ is not None or spec.if_ is not None or bool(spec.not_)
        said = self.scope.cite(spec.said, told=told) if spec.said is not None else ()
        otherwise = self.predicate(label, spec.else_) if spec.else_ is not None else None
        only_if = self._conditions(spec.if_) if spec.if_ is not None else ()
        if only_if is None:
            return None
        reason = self.scope.program.said_of(label, spec.said or Text(""))
        unless = Stated(name=label, reason=reason, sources=said) if otherwise is not None else None
        if spec.unless is not None:
            name = known(spec.unless, self.scope.program.profile.declare, "declared quantity")
            stated = self.scope.program.stated.get(name)
            self.scope.program.used.add(f"declare.{name}")
            if stated in YES:
                return None
            unless = None if stated is not None else self.scope.statement(name)
        return criterion.model_copy(
            update={
                "phase": str(spec.phase or ""), "only_if": only_if, "unless": unless, "otherwise": otherwise,
                "instead": str(spec.instead or ""),
                "sources": tuple(dict.fromkeys((*criterion.sources, *said))),
            }
        )  # fmt: skip

    def _conditions(self, text: Text) -> tuple[Condition, ...] | None:
        """What a criterion is asked under; None where the declared values say that it is not asked."""
        truth = self.scope.truth(text)
        if truth is False:
            return None
        return truth if isinstance(truth, tuple) else ()

    # ------------------------------------------------------------ the predicate

    def predicate(self, label: str, text: Text) -> Criterion | None:
        """The predicate of a text; its places are read as the type of the signal or event asks."""
        places: list[str] = []

        def name(match: re.Match[str]) -> str:
            places.append(match[0])
            return f"_q{len(places) - 1}"

        body = " ".join(_PLACE.sub(name, str(text)).split())

        def back(part: str) -> Text:
            return Text(re.sub(r"_q(\d+)", lambda match: places[int(match[1])], part), where(text))

        try:
            return self._parse(label, body, back)
        except ProfileError as error:
            error.place = error.place or where(text)
            raise

    def _parse(self, label: str, body: str, back: _Back) -> Criterion | None:
        if match := re.fullmatch(r"assess (_q\d+)", body):
            return Criterion(label=label, form="assess", sources=self.scope.cite(back(match[1])))
        if match := re.fullmatch(rf"({_EVENT}) within (.+) after ({_EVENT})", body):
            return self._order(label, "within", match[1], match[3], match[2], back)
        if match := re.fullmatch(rf"({_EVENT}) (before|after|until) ({_EVENT})(?: by (.+))?", body):
            return self._order(label, match[2], match[1], match[3], match[4], back)  # type: ignore[arg-type]
        if match := re.fullmatch(rf"({_EVENT}) longer than ({_EVENT})(?: by (.+))?", body):
            return self._order(label, "longer", match[1], match[2], match[3], back)
        if match := re.fullmatch(rf"duration\(({_EVENT})\) (<=|>=|<|>) (.+)", body):
            limit = self._limit(back(match[3]), BindingKind("time"), match[2])
            return self._duration(label, self._event(match[1], back), match[2], limit)
        if match := re.fullmatch(r"moving_average\((\w+), (.+?)\) (<=|>=|<|>) (.+)", body):
            return self._measure(label, match[1], match[3], match[4], back, over=match[2])
        if match := re.fullmatch(r"(\w+) (<=|>=|<|>) (.+)", body):
            return self._measure(label, match[1], match[2], match[3], back)
        if match := re.fullmatch(rf"(no )?({_EVENT})", body):
            event = self._event(match[2], back)
            form: Form = "never" if match[1] else "happens"
            if form == "happens" and isinstance(event.argument, Value):  # it is to come that far, so no words may keep it from that
                _held(">=", event.argument, back(match[2]), strict=False)
            return Criterion(label=label, form=form, a=event, sources=_argument_sources(event))
        raise ProfileError("E405", f"not a criterion: {back(body)}", _SHAPE)

    def _duration(self, label: str, event: Event, sign: str, limit: Limit | None) -> Criterion | None:
        if limit is None:
            return None
        return Criterion(label=label, form="duration", a=event, sign=_sign(sign), limit=limit, sources=limit.value.sources)

    def _event(self, text: str, back: _Back) -> Event:
        match = re.fullmatch(r"(?:([a-z]+) )?(\w+)(?:\((.*)\))?", text)
        assert match is not None
        ordinal, name, argument = match.groups()
        occurrence = vocabulary().ordinals[known(ordinal, vocabulary().ordinals, "ordinal")] if ordinal else 0
        kind = vocabulary().events[known(name, vocabulary().events, "event")]
        if argument and not (kind.dimension or kind.words):
            raise ProfileError("E411", f"{name} takes no argument: {back(text)}", f"write {name}")
        if not argument:
            return Event(name=name, occurrence=occurrence)
        value = self.scope.typed(kind, back(argument), f"the argument of {name}")
        return Event(name=name, argument=value, occurrence=occurrence)

    def _order(self, label: str, form: Form, first: str, second: str, by: str | None, back: _Back) -> Criterion:
        """Two events in time; a lead, a delay or how much longer is at least, what is `within` is at most that long."""
        a, b = self._event(first, back), self._event(second, back)
        value = self.scope.number(back(by), "time") if by else None
        if value is not None and by is not None:
            self.scope.typed(BindingKind("time"), value, "a time between events")
            _held(">=" if form != "within" else "<=", value, back(by), strict=False)
        sources = (*_argument_sources(a), *_argument_sources(b), *(value.sources if value else ()))
        return Criterion(label=label, form=form, a=a, b=b, by=value, sources=tuple(dict.fromkeys(sources)))

    def _measure(self, label: str, signal: str, sign: str, limit: str, back: _Back, over: str = "") -> Criterion | None:
        kind = vocabulary().signals[known(signal, vocabulary().signals, "signal")]
        read = self._limit(back(limit), kind, sign)
        # the width of a window bounds nothing: "the average over half a second"
        mean = self.scope.number(back(over), "time").model_copy(update={"bound": "eq"}) if over else None
        if read is None:
            return None
        return Criterion(
            label=label, form="measure", signal=signal, called=self._called(signal, back(limit)), mean_over=mean, sign=_sign(sign),
            limit=read,
            sources=tuple(dict.fromkeys((*read.value.sources, *(mean.sources if mean else ())))),
        )  # fmt: skip

    def _only(self, view: TableView, key: str) -> tuple[Word, ...]:
        """The categories that the mark of a limit's cell restricts it to, each with the mark's rule."""
        read = self.scope.find(key) if key else None
        marked = view.restriction_at(read) if isinstance(read, Value) else ()
        rules = tuple(source for mark in view.spec.marks.values() for source in view.scope.cite(mark.said)) if marked else ()
        return tuple(Word(word=name, sources=rules) for name in marked)

    def _called(self, signal: str, limit: Text) -> str:
        """What the caption of the limit's table calls a signal, where it has several names; "" otherwise."""
        lookup = table_lookup(str(limit))
        if lookup is None:
            return ""
        return named_in(signal, self.scope.program.table(lookup[0], self.scope).table.caption or "")

    def _limit(self, text: Text, kind: BindingKind, sign: str) -> Limit | None:
        """A limit with the table that gave it; None where the table asks nothing."""
        lookup = table_lookup(str(text))
        if lookup is not None:
            result = self.scope.value(text, kind.dimension)
            if result is None:
                return None
            value = self.scope.typed(kind, result, str(text))
            assert isinstance(value, Value)
            view = self.scope.program.table(lookup[0], self.scope)
            return Limit(
                value=value, table=self.scope.program.keep(view), key=lookup[1] or None, only=self._only(view, lookup[1] or ""),
                rows=_plain_head(view.heads[0]),
            )  # fmt: skip
        value = self.scope.number(text, kind.dimension)
        self.scope.typed(kind, value, str(text))
        _held(sign, value, text)
        return Limit(value=value)


def _plain_head(head: str) -> str:
    """A table's head without its unit: "Subject vehicle speed (km/h)" -> "subject vehicle speed"."""
    words = re.sub(r"\s*(?:\([^()]*\)|\bin \S+)\s*$", "", " ".join(head.split()))
    return " ".join(word if len(word) > 1 and word.isupper() else word.lower() for word in words.split())


def _sign(text: str) -> Sign:
    return text  # type: ignore[return-value]


def _held(sign: str, value: Value, text: Text, *, strict: bool = True) -> None:
    """The sign of a criterion against what the words bound; raises E406."""
    fitting = _FITTING[sign] if strict else {"<=": ("eq", "le", "lt"), ">=": ("eq", "ge", "gt")}[sign]
    either = either_side(value) if value.bound == "eq" else ""
    if value.bound in fitting and not either:
        return
    source = place_of_bound(value)
    words = f"; {either}" if either else ""
    place = words + (f': {source.label()}: "{source.quote}"' if source else "")
    raise ProfileError(
        "E406", f"the criterion asks {sign}; the words say {say(value)}{place}",
        "turn the sign, take another place, or at_least(...) / at_most(...) where the whole sentence says so", where(text),
    )  # fmt: skip


def _argument_sources(event: Event) -> tuple[SourceRef, ...]:
    return event.argument.sources if event.argument is not None else ()
