"""The tables of docs/language.md that list what the compiler knows: keys, words, codes. One is what stands between

    <!-- table: NAME -->    and    <!-- end -->

`python -m tests.docs.refresh docs/language.md` writes them anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib import resources

from regc.catalogue import codes
from regc.lang import profile
from regc.lang.load import DROPPED, TOP
from regc.lang.vocabulary import BindingKind, Manoeuvre, vocabulary
from regc.signals import EVENTS, SIGNALS
from regc.signals.measurement import EventKind, Signal

_TABLE = re.compile(r"<!-- table: ([\w ]+) -->\n(.*?)<!-- end -->", re.DOTALL)
#: Of a class's fields, those that are no keys.
_NO_KEYS: dict[type[profile.ProfileBlock], tuple[str, ...]] = {profile.Profile: ("tests", "file", "raws")}
#: Letters of codes that the language gives; `regc explain` has the others.
_LANGUAGE = "PLTEXC"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of Markdown."""
    titles = list(head)
    lines = [titles, ["---"] * len(titles), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n".replace("| ---", "|---").replace("--- |", "---|") for line in lines)


def keys(block: type[profile.ProfileBlock], **more: str) -> str:
    """The keys of a block with their meanings, in the order of the class."""
    rows = [
        (f"`{field.alias or name}`", "needed" if field.is_required() else "", str(field.description))
        for name, field in block.model_fields.items()
        if name not in _NO_KEYS.get(block, ())
    ]
    return table(("key", "", "meaning"), [*rows, *((f"`{name}`", "", text) for name, text in more.items())])


def type_name(kind: BindingKind) -> str:
    """A type as the vocabulary writes it: `speed!`, `length<`, `left or right`."""
    if kind.words:
        return " or ".join(f"`{word}`" for word in kind.words)
    sign = f"{kind.side}{'?' if kind.loose else ''}{'!' if kind.needed else ''}"
    return f"`{kind.dimension}{sign}`" if kind.dimension else ""


def comments() -> dict[str, str]:
    """What the vocabulary's file says behind a name: "manoeuvre curve", "bind ttc", "conditions wind"; of one that stands several
    times, at the first."""
    text = resources.files("regc.lang").joinpath("vocabulary.toml").read_text("utf-8")
    found: dict[str, str] = {}
    section = ""
    for line in text.splitlines():
        body, _, said = line.partition(" # ")
        head = re.match(r"\[([\w.]+)\]", line)
        if head:
            section = head[1].split(".")[-1]
            found[f"manoeuvre {section}"] = said.strip()
        elif name := re.match(r"\w+(?= = )", body):
            found.setdefault(f"{section} {name[0]}", said.strip())
    return found


def kinds(section: str, names: Mapping[str, BindingKind]) -> str:
    """Names with their types and what the vocabulary's file says of them."""
    said = comments()
    rows = [(f"`{name}`", type_name(kind), said[f"{section} {name}"]) for name, kind in names.items()]
    return table(("name", "type", "meaning"), rows)


def bindings() -> str:
    """Every binding with its type and meaning; those of any manoeuvre first."""
    every: dict[str, dict[str, None]] = {}
    for held in vocabulary().manoeuvres.values():
        for name, kind in held.bind.items():
            words = [f"`{word}`" for word in kind.words] or [type_name(replace(kind, needed=False))]
            every.setdefault(name, {}).update(dict.fromkeys(words))
    said = comments()
    return table(
        ("binding", "type", "meaning"), [(f"`{name}`", " or ".join(types), said[f"bind {name}"]) for name, types in every.items()]
    )


def manoeuvres() -> str:
    """Manoeuvre, roles, bindings beside those of any manoeuvre, equations, and whether it may be a phase."""
    shared = shared_bindings()
    rows = [
        (
            f"`{name}`: {comments()[f'manoeuvre {name}']}",
            ", ".join(f"`{role}{'!' if needed else ''}`" for role, needed in held.roles.items()),
            ", ".join(f"`{bind}{'!' if kind.needed else ''}`" for bind, kind in held.bind.items() if bind not in shared),
            ", ".join(f"`{rule}`" for rule in held.equations),
            _as_phase(held),
        )
        for name, held in vocabulary().manoeuvres.items()
    ]
    return table(("manoeuvre", "roles", "bindings", "equations", "as a phase"), rows)


def _as_phase(held: Manoeuvre) -> str:
    """Where a manoeuvre may stand in a sequence, and what a phase of it must bind."""
    rule = held.phase
    if rule is None:
        return ""
    parts = ["the last, with a target" if "target" in held.roles and not held.roles["target"] else "the last"] if rule.last else ["any"]
    parts += ["once"] if rule.once else []
    parts += [f"not after {', '.join(f'`{name}`' for name in rule.before)}"] if rule.before else []
    parts += [f"with {', '.join(f'`{name}`' for name in rule.needs)}"] if rule.needs else []
    parts += [f"`{', '.join(rule.without)}` may be left out"] if rule.without else []
    return "; ".join(parts)


def shared_bindings() -> tuple[str, ...]:
    """The bindings that every manoeuvre has."""
    every = [held.bind for held in vocabulary().manoeuvres.values()]
    return tuple(name for name in every[0] if all(name in bind for bind in every))


def signals() -> str:
    """Signals with their types, definitions, channels and where their evidence comes from."""
    head = ("signal", "type", "what it is", "channels", "evidence")
    return table(head, [_observed(name, kind, SIGNALS.get(name)) for name, kind in vocabulary().signals.items()])


def events() -> str:
    """Events with the types of their arguments, definitions, channels and where their evidence comes from."""
    head = ("event", "argument", "what it is", "channels", "evidence")
    return table(head, [_observed(name, kind, EVENTS.get(name)) for name, kind in vocabulary().events.items()])


def _observed(name: str, kind: BindingKind, what: Signal | EventKind | None) -> tuple[str, ...]:
    if what is None:
        return f"`{name}`", type_name(kind), "not read from any log yet: a criterion on it is incomplete", "", ""
    evidence = "record" if name in vocabulary().on_record else "log"
    return f"`{name}`", type_name(kind), what.definition, ", ".join(f"`{channel}`" for channel in what.channels), evidence


def units() -> str:
    """Dimensions with their units."""
    by_dimension: dict[str, list[str]] = {}
    for unit in vocabulary().units.values():
        by_dimension.setdefault(unit.dimension, []).append(f"`{unit.name}`")
    return table(("type", "units"), [(f"`{name}`", ", ".join(held)) for name, held in by_dimension.items()])


def lists() -> str:
    """The short closed lists."""
    known = vocabulary()
    rows = (
        ("kinds of actor", known.actors),
        ("status", known.statuses),
        ("kinds of card", known.card_kinds),
        ("types of declared quantities beside those of numbers", known.declared),
        ("rules between rows", known.between),
    )
    return table(("list", "words"), [(name, ", ".join(f"`{word}`" for word in words)) for name, words in rows])


def language_codes() -> str:
    """The codes that the language gives."""
    own = [(code, entry) for code, entry in codes().items() if code[0] in _LANGUAGE]
    own.sort(key=lambda item: (_LANGUAGE.index(item[0][0]), item[0]))
    return table(("code", "what", "for example"), [(code, entry.title, entry.example.split("\n")[0]) for code, entry in own])


def tables() -> dict[str, str]:
    """Every table by its name."""
    return {
        "profile": keys(profile.Profile, **TOP),
        "axis": keys(profile.AxisValueSpec),
        "table": keys(profile.TableSpec),
        "mark": keys(profile.MarkSpec),
        "check": keys(profile.CheckSpec),
        "test": keys(profile.TestSpec),
        "further": keys(profile.FurtherSpec),
        "phase": keys(profile.PhaseSpec),
        "criterion": keys(profile.CriterionSpec),
        "card": keys(profile.CardSpec),
        "form": keys(profile.FormSpec),
        "drop": table(("kind", "named"), [(f"`{name}`", text) for name, text in DROPPED.items()]),
        "bindings": bindings(),
        "manoeuvres": manoeuvres(),
        "signals": signals(),
        "events": events(),
        "conditions": kinds("conditions", vocabulary().conditions),
        "runs": kinds("runs", vocabulary().runs),
        "lists": lists(),
        "units": units(),
        "codes": language_codes(),
    }


def held(document: str) -> dict[str, str]:
    """The tables as a document has them."""
    return {match[1]: match[2] for match in _TABLE.finditer(document)}


def renewed(document: str) -> str:
    """A document with its tables as they are now."""
    now = tables()
    return _TABLE.sub(lambda match: f"<!-- table: {match[1]} -->\n{now[match[1]]}<!-- end -->", document)
