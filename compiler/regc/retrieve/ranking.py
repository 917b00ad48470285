"""How well each paragraph of all documents answers a question by itself: its words, its meaning, its quantities, its document. The
words to look for are the question's own, words of the field that mean the same, and what the documents' definitions teach."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from regc.link.identity import opening
from regc.model.protocols import Embedder, Vectors
from regc.retrieve.lexical import Lexical, words
from regc.retrieve.mentions import Identity, Named, field_words, regulations_in
from regc.retrieve.structure import Structure, unit_words, uses

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Signals:
    """`dense`: share of the cosine beside the words, where there is an embedder, in a mean of the power `either` (1: the sum; the
    higher, the more the better of both counts), and the share at which each counts alone (`alone`: so that what one of them finds
    first is not lost in the other's noise).

    The others are soft. What a paragraph gains: that holds the quantity asked for (`quantity`), that cites a regulation that is named
    (`cites_named`). What a document keeps: that is not named while another is (`unnamed`; not where the scope of the named one leaves
    out the categories asked for), whose scope leaves out the categories asked for (`other_category`) or names none (`no_category`),
    that another body issued (`other_issuer`). What the one gains whose title and scope are nearest to the question (`subject`); what a
    form to fill in and a title page keep (`aside`)."""

    dense: float = 0.4
    either: float = 1.0
    alone: float = 0.8
    unnamed: float = 0.1
    cites_named: float = 0.8
    quantity: float = 0.2
    other_category: float = 0.4
    no_category: float = 0.7
    other_issuer: float = 0.3
    subject: float = 0.2
    aside: float = 0.6


@dataclass(frozen=True)
class Ranked:
    """Scores of the units of an index, at most about 1; `worth` is what each word looked for tells documents apart."""

    scores: Scores
    worth: Mapping[str, float]


class Ranking:
    """The paragraphs of all documents with their headings, tables and footnotes, in one index."""

    def __init__(self, structures: Sequence[Structure], embedder: Embedder | None, signals: Signals) -> None:
        self._signals = signals
        self._embedder = embedder
        self._structures = structures
        self.units = [(at, id) for at, structure in enumerate(structures) for id in structure.bundle]
        self._document = np.array([at for at, _ in self.units], dtype=np.intp)
        taught = [Taught(structure) for structure in structures]
        found_by = [unit_words(structures[at], id, taught[at].words(id)) for at, id in self.units]
        self._words = {unit: frozenset(own_words) for unit, own_words in zip(self.units, found_by, strict=True)}
        self._lexical = Lexical(found_by)
        self._vocabulary = Thesaurus(structures, self._lexical)
        self.identities = [Identity.of(structure.shelf.corpus.document) for structure in structures]
        self._taught = taught
        self._unit_vectors: Vectors | None = None
        self._subject_vectors: Vectors | None = None
        self._kind = np.array([signals.aside if _is_aside(structures[at], id) else 1.0 for at, id in self.units])
        self._quantities = {name: self._holding(units) for name, (_, units) in field_words().quantities.items()}

    def looked_for(self, named: Named) -> list[dict[str, float]]:
        """The concepts that are looked for; none when the question has no word."""
        return self._vocabulary.concepts(named.text, named.quantities)

    def in_common(self, named: Named, units: Iterable[tuple[int, str]]) -> dict[tuple[int, str], list[str]]:
        """By paragraph the words of a question that it has, or has other words for, as the question has them."""
        asked = self._vocabulary.asked(named.text)
        return {unit: [word for word, concept in asked.items() if not self._words[unit].isdisjoint(concept)] for unit in units}

    def ranked(self, named: Named) -> Ranked:
        """The scores of all units for a question."""
        signals, query = self._signals, self.looked_for(named)
        documents = self._documents(named)
        by_words = _scaled(self._lexical.concepts(query))
        voices = [by_words]
        if self._embedder is not None and query and len(self.units):
            vector = self._embedder.embed([named.text])[0]
            by_meaning, power = _above_median(self._vectors() @ vector), signals.either
            both = ((1 - signals.dense) * by_words**power + signals.dense * by_meaning**power) ** (1 / power)
            voices = [both, by_words, by_meaning]
            documents = documents * (1 + signals.subject * _above_median(self._subjects() @ vector))
        kept = self._kind * self._kept(named, documents)
        for held in (self._quantities[name] for name in named.quantities):
            kept = kept * np.where(held, 1 + signals.quantity, 1.0)
        scores, *alone = (voice * kept for voice in voices)
        top = scores.max(initial=0.0)
        for voice in alone:
            scores = np.maximum(scores, signals.alone * top * _scaled(voice))
        worth: dict[str, float] = {}
        for concept in query:
            for word, weight in concept.items():
                worth[word] = max(worth.get(word, 0.0), weight * self._lexical.rarity(word))
        return Ranked(scores, worth)

    def _vectors(self) -> Vectors:
        """The vectors of all units, shape (units, dimension)."""
        assert self._embedder is not None
        if self._unit_vectors is None:
            self._unit_vectors = self._embedder.embed(self.passages)
        return self._unit_vectors

    @cached_property
    def passages(self) -> tuple[str, ...]:
        """What an embedder reads of each unit."""
        return tuple(self._taught[at].spelt_out(_passage(self._structures[at], id)) for at, id in self.units)

    def _subjects(self) -> Vectors:
        """The vectors of what each document says that it is about, shape (documents, dimension)."""
        assert self._embedder is not None
        if self._subject_vectors is None:
            self._subject_vectors = self._embedder.embed([_subject(structure) for structure in self._structures])
        return self._subject_vectors

    def _documents(self, named: Named) -> Scores:
        """What each document keeps of its scores, by the regulations, issuers and categories that a question names."""
        identities, signals = self.identities, self._signals
        kept = np.ones(len(identities))
        if any(identity.is_named(named) and identity.fits(named.categories) is not False for identity in identities):
            kept = np.array([1.0 if identity.is_named(named) else signals.unnamed for identity in identities])
        issued = any(identity.issuer in named.issuers for identity in identities)
        for at, identity in enumerate(identities):
            if issued and identity.issuer not in named.issuers:
                kept[at] *= signals.other_issuer
            fits = identity.fits(named.categories)
            if fits is False:
                kept[at] *= signals.other_category
            elif fits is None and named.categories:
                kept[at] *= signals.no_category
        return kept

    def _kept(self, named: Named, documents: Scores) -> Scores:
        """What each unit keeps of its score: what its document keeps, and more where it cites a regulation that is named."""
        kept = documents[self._document]
        if named.regulations:
            cites = [not self._cited_by_unit[unit].isdisjoint(named.regulations) for unit in self.units]
            kept = np.where(cites, kept * (1 + self._signals.cites_named), kept)
        return kept

    @cached_property
    def _cited_by_unit(self) -> dict[tuple[int, str], frozenset[tuple[str, str]]]:
        """The regulations that each unit's text names."""
        return {(at, id): frozenset(regulations_in(self._structures[at].shelf.clauses[id].text)[0]) for at, id in self.units}

    def _holding(self, units: Sequence[str]) -> NDArray[np.bool_]:
        """Which paragraphs give a number in one of the units, or have a table with one in a head."""
        either = "|".join(re.escape(unit) for unit in sorted(units, key=len, reverse=True))
        number = re.compile(rf"\d\s*(?:{either})(?![\w/])", re.IGNORECASE)
        head = re.compile(rf"\(\s*(?:{either})\s*\)", re.IGNORECASE)
        return np.array([_holds(self._structures[at], id, number, head) for at, id in self.units], dtype=bool)


def _is_aside(structure: Structure, id: str) -> bool:
    """Whether a clause is part of a form to fill in, or stands before the first paragraph."""
    clause = structure.shelf.clauses[id]
    return id in structure.forms or (clause.region == "body" and clause.number is None)


def _holds(structure: Structure, id: str, number: re.Pattern[str], head: re.Pattern[str]) -> bool:
    if number.search(structure.shelf.clauses[id].text):
        return True
    tables = (structure.shelf.tables[piece] for piece in structure.bundle[id] if piece in structure.shelf.tables)
    return any(head.search(" ".join((table.caption or "", *(label for path in table.columns for label in path)))) for table in tables)


def _passage(structure: Structure, id: str) -> str:
    """A paragraph with the headings above it, as an embedder reads it."""
    clauses = structure.shelf.clauses
    path = " > ".join(structure.heading(above) or above for above in reversed(structure.ancestors(id)))
    return f"{path}\n{clauses[id].title or ''}\n{clauses[id].text}"


def _subject(structure: Structure) -> str:
    """What a document says that it is about: the last lines of its title page, and its scope."""
    lines, words = opening(structure.shelf.corpus.document)
    titles = [line for line in lines if len(line.split()) > 5][-6:]
    return " ".join((structure.shelf.corpus.document.title, *titles, words[-600:]))


def _scaled(values: Scores) -> Scores:
    top = values.max(initial=0.0)
    return values / top if top > 0 else values


def _above_median(cosines: NDArray[np.float32]) -> Scores:
    """Cosines from their median (0) to the best (1)."""
    if not len(cosines):
        return np.zeros(0)
    return _scaled(np.maximum(cosines.astype(np.float64) - float(np.median(cosines)), 0.0))


#: What another word for one of the question's counts beside that word itself; in full where no document has the question's own.
OTHER_WEIGHT = 0.5
#: What a word counts that the question does not have but asks for ("how bright": light).
MORE_WEIGHT = 0.5
#: A long form and its abbreviation in brackets, anywhere: "Time To Collision (TTC)".
_INTRODUCED = re.compile(r"((?:[A-Za-z][\w-]*[ -]+){1,8})\(\s*[\"“]?([A-Z][A-Za-z]*[A-Z][A-Za-z]*)[\"”]?\s*\)")

#: Words of a question that say nothing of its subject, beyond those that no text is searched for.
_SAYS_NOTHING = frozenset(
    words(
        """I we he she him her me us my our mine one ones get gets got go goes going gone make makes made let lets put puts say says
        said tell told know known look looking want wanted like still ever every about just only really please anything something
        exactly actually right good well also too very more most some other others same thing things way kind kinds sort number
        numbers question according regarding concerning per via find give given gives show explain mean means meaning does did done
        doing could must should would might"""
    )
)

Term = tuple[str, ...]


class Thesaurus:
    """Terms that mean the same, as stemmed words: groups of the field, and pairs learnt from the documents of an index."""

    def __init__(self, structures: Sequence[Structure], index: Lexical) -> None:
        self._index = index
        self._others: dict[Term, dict[Term, None]] = {}
        for group in _field_groups():
            self._add(group)
        for pair in _learnt(structures):
            self._add(pair)
        self._longest = max(map(len, self._others), default=0)

    def _add(self, group: Iterable[Term]) -> None:
        terms = tuple(dict.fromkeys(group))
        for term in terms:
            self._others.setdefault(term, {}).update((other, None) for other in terms if other != term)

    def concepts(self, text: str, more: Sequence[str] = ()) -> list[dict[str, float]]:
        """What a text asks for, one concept a word of it (and of `more`, at `MORE_WEIGHT`): the word at 1, and at `OTHER_WEIGHT` the
        words of other terms for it. A term of several words is one more concept; its other terms' words share the weight (divided by
        the root of their number)."""
        own = [word for word in words(text) if word not in _SAYS_NOTHING]
        by_term: dict[Term, dict[str, float]] = {}
        for term, weight in ((own, 1.0), *((words(name), MORE_WEIGHT) for name in more)):
            self._add_concepts(by_term, term, weight)
        return [concept for concept in by_term.values() if concept]

    def _add_concepts(self, by_term: dict[Term, dict[str, float]], own: Sequence[str], weight: float) -> None:
        for word in own:
            concept = by_term.setdefault((word,), {})
            concept[word] = max(concept.get(word, 0.0), weight)
        for term in self._terms_in(own):
            concept = by_term.setdefault(term, {})
            share = weight * (OTHER_WEIGHT if any(self._index.knows(word) for word in term) else 1.0)
            for other in self._others[term]:
                for word in other:
                    if word not in own and self._index.knows(word):
                        concept[word] = max(concept.get(word, 0.0), share / len(other) ** 0.5)

    def asked(self, text: str) -> dict[str, dict[str, float]]:
        """The single words of a text as written, each with its concept."""
        by_word: dict[str, dict[str, float]] = {}
        for word in re.findall(r"[\w.-]+", text):
            if concepts := self.concepts(word):
                by_word.setdefault(word.strip(".-").lower(), {}).update(concepts[0])
        return by_word

    def _terms_in(self, own: Sequence[str]) -> dict[Term, None]:
        terms: dict[Term, None] = {}
        for start in range(len(own)):
            for length in range(1, self._longest + 1):
                if (term := tuple(own[start : start + length])) in self._others:
                    terms.setdefault(term)
        return terms


@lru_cache(maxsize=1)
def _field_groups() -> tuple[tuple[Term, ...], ...]:
    return tuple(tuple(term for phrase in group if (term := tuple(words(phrase)))) for group in field_words().synonyms)


def _learnt(structures: Sequence[Structure]) -> Iterable[tuple[Term, Term]]:
    """Long forms with their abbreviations, of all documents."""
    for structure in structures:
        for short, long in long_forms(structure).items():
            yield tuple(words(long)), tuple(words(short))


def long_forms(structure: Structure) -> dict[str, str]:
    """Abbreviation -> long form: of the terms that a document defines, and wherever it introduces one in brackets."""
    forms: dict[str, str] = {}
    for id in structure.shelf.order:
        if clause := structure.shelf.clauses.get(id):
            for long, short in abbreviations(f"{clause.title or ''} {clause.text}"):
                forms.setdefault(short, long)
    return forms


class Taught:
    """What a document teaches of its own terms: long forms of the abbreviations that a paragraph or a heading above it uses, and the
    definitions of the terms in its headings."""

    def __init__(self, structure: Structure) -> None:
        self._structure = structure
        self._long = long_forms(structure)
        self._short = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(self._long, key=len, reverse=True))) or '(?!)'})\b")

    def spelt_out(self, text: str) -> str:
        """The text with the long form after the first use of each abbreviation."""
        told: set[str] = set()

        def told_once(match: re.Match[str]) -> str:
            short = match[0]
            if short in told or self._long[short] in text:
                return short
            told.add(short)
            return f"{short} ({self._long[short]})"

        return self._short.sub(told_once, text)

    def words(self, id: str) -> list[str]:
        """The words taught for a paragraph."""
        clauses = self._structure.shelf.clauses
        headings = " ".join((clauses[id].title or "", *map(self._structure.heading, self._structure.ancestors(id))))
        used = dict.fromkeys(self._short.findall(f"{headings} {clauses[id].text}"))
        long_words = [word for short in used for word in words(self._long[short])]
        own = words(headings)
        held = set(own)
        for other, terms in self._structure.defines.items():
            if any(len(term) > 1 and held.issuperset(term) and uses(own, term) for term in terms):
                long_words += dict.fromkeys(words(clauses[other].text))
        return long_words


def abbreviations(text: str) -> tuple[tuple[str, str], ...]:
    """Long form and abbreviation for each that a text introduces: "Time To Collision (TTC)". Only where its capitals are the initials
    of the words before it."""
    pairs: dict[tuple[str, str], None] = {}
    for match in _INTRODUCED.finditer(text):
        before, short = re.split(r"[ -]+", match[1].strip()), match[2]
        initials = [letter.lower() for letter in short if letter.isupper()]
        for count in range(len(initials), min(len(before), len(initials) + 3) + 1):
            if _initials_in(initials, before[-count:]):
                pairs.setdefault((" ".join(before[-count:]), short))
                break
    return tuple(pairs)


def _initials_in(initials: Sequence[str], before: Sequence[str]) -> bool:
    """Whether the letters begin words of a phrase in order, the first one the phrase itself."""
    if not before or before[0][0].lower() != initials[0]:
        return False
    at = 0
    for word in before:
        if at < len(initials) and word[0].lower() == initials[at]:
            at += 1
    return at == len(initials)
