"""Ids of tests: stem, clause, token of the test, tokens of the axes, and the point that tells apart what is left.

UNR152-02_p6.5_CtoMoC_M1_MaxMass_050-020: the 50 km/h test with a target at 20 km/h. A range is 010to080, the run that must differ -b.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from regc.lang.faults import ProfileError
from regc.lang.vocabulary import vocabulary
from regc.model.value import Value, Word

#: The bindings that make a point, in this order; others follow in the vocabulary's order.
_FIRST = ("subject", "target")
_UNSAFE = re.compile(r"[^A-Za-z0-9.+-]+")
#: Axis tokens and bindings of a test.
Bound = tuple[tuple[str, ...], Mapping[str, Value | Word]]


def clause_token(clause: str) -> str:
    """A clause in an id: "6.4" is p6.4, "Annex 3 - Appendix 2, 1.2" is A3App2-1.2, "S7.3" is pS7.3."""
    match = re.fullmatch(r"Annex (\w+)(?: - Appendix (\w+))?(?:, (.+))?", clause)
    if match:
        return f"A{match[1]}" + (f"App{match[2]}" if match[2] else "") + (f"-{safe(match[3])}" if match[3] else "")
    return f"p{safe(clause)}"


def safe(text: str) -> str:
    """A text with the characters of ids only; "_" parts the parts of an id, so it becomes "-"."""
    return _UNSAFE.sub("-", text.replace("_", "-")).strip("-")


def points(bound: Sequence[Bound]) -> list[str]:
    """The point of every test of one name: the subject vehicle's speed, then whatever else is needed to tell all apart."""
    chosen: list[str] = []
    for name in _names(bound):
        tokens = _tokens(bound, chosen)
        if chosen and _groups(bound, tokens) == len(bound):
            break
        if not chosen or _groups(bound, _tokens(bound, [*chosen, name])) > _groups(bound, tokens):
            chosen.append(name)
    return _tokens(bound, chosen)


def filled(template: str, axes: Mapping[str, str], bind: Mapping[str, Value | Word]) -> str:
    """A profile's own form: "{side} O{overlap} {subject}" with its parts joined by "_"; a part that the test has not is left out."""
    parts: list[str] = []
    for part in template.split():
        held = {name: axes.get(name) or token(bind.get(name)) for name in re.findall(r"{(\w+)}", part)}
        if all(held.values()):
            parts.append(re.sub(r"{(\w+)}", lambda match: held[match[1]], part))  # noqa: B023
    return "_".join(parts)


def _names(bound: Sequence[Bound]) -> list[str]:
    every = list(dict.fromkeys(name for _, bind in bound for name in bind))
    return [*(name for name in _FIRST if name in every), *(name for name in every if name not in _FIRST)]


def _tokens(bound: Sequence[Bound], names: Sequence[str]) -> list[str]:
    return ["-".join(filter(None, (token(bind.get(name)) for name in names))) for _, bind in bound]


def _groups(bound: Sequence[Bound], tokens: Sequence[str]) -> int:
    return len({(axes, text) for (axes, _), text in zip(bound, tokens, strict=True)})


def token(value: Value | Word | None) -> str:
    """A binding in an id: 42 km/h is 042, 0.5 m is 0.5, 10 to 80 km/h is 010to080, a symbol its letters."""
    if value is None:
        return ""
    if isinstance(value, Word):
        return safe(value.word)
    if value.lo is None or value.hi is None:
        return safe(value.symbol)
    width = 3 if vocabulary().dimension(value.unit) == "speed" and value.lo % 1 == 0 else 1
    low, high = (format(end.normalize(), "f") for end in (value.lo, value.hi))
    return low.zfill(width) if value.lo == value.hi else f"{low.zfill(width)}to{high.zfill(width)}"


def unique(ids: Iterable[str], runs: Sequence[bool]) -> list[str]:
    """Ids with "-b", "-c", ... behind those of runs that must differ from the one before; raises P117 for others that are equal."""
    seen: defaultdict[str, int] = defaultdict(int)
    out: list[str] = []
    for id, differs in zip(ids, runs, strict=True):
        count = seen[id]
        seen[id] += 1
        if count and not differs:
            raise ProfileError("P117", f"two tests have the id {id}", "vary an axis, or give the tests other tokens")
        out.append(f"{id}-{chr(ord('a') + count)}" if count else id)
    return out
