"""The words to look for: a question's own, words of the field that mean the same, and what the documents' definitions teach."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from regc.retrieve.lexical import Lexical, words
from regc.retrieve.mentions import field_words
from regc.retrieve.structure import Structure, uses

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
        found: dict[Term, dict[str, float]] = {}
        for term, weight in ((own, 1.0), *((words(name), MORE_WEIGHT) for name in more)):
            self._add_concepts(found, term, weight)
        return [concept for concept in found.values() if concept]

    def _add_concepts(self, found: dict[Term, dict[str, float]], own: Sequence[str], weight: float) -> None:
        for word in own:
            concept = found.setdefault((word,), {})
            concept[word] = max(concept.get(word, 0.0), weight)
        for term in self._terms_in(own):
            concept = found.setdefault(term, {})
            share = weight * (OTHER_WEIGHT if any(self._index.knows(word) for word in term) else 1.0)
            for other in self._others[term]:
                for word in other:
                    if word not in own and self._index.knows(word):
                        concept[word] = max(concept.get(word, 0.0), share / len(other) ** 0.5)

    def asked(self, text: str) -> dict[str, dict[str, float]]:
        """The single words of a text as written, each with its concept."""
        found: dict[str, dict[str, float]] = {}
        for word in re.findall(r"[\w.-]+", text):
            if concepts := self.concepts(word):
                found.setdefault(word.strip(".-").lower(), {}).update(concepts[0])
        return found

    def _terms_in(self, own: Sequence[str]) -> dict[Term, None]:
        found: dict[Term, None] = {}
        for start in range(len(own)):
            for length in range(1, self._longest + 1):
                if (term := tuple(own[start : start + length])) in self._others:
                    found.setdefault(term)
        return found


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
    found: dict[str, str] = {}
    for id in structure.shelf.order:
        if clause := structure.shelf.clauses.get(id):
            for long, short in abbreviations(f"{clause.title or ''} {clause.text}"):
                found.setdefault(short, long)
    return found


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
        found = [word for short in used for word in words(self._long[short])]
        own = words(headings)
        held = set(own)
        for other, terms in self._structure.defines.items():
            if any(len(term) > 1 and held.issuperset(term) and uses(own, term) for term in terms):
                found += dict.fromkeys(words(clauses[other].text))
        return found


def abbreviations(text: str) -> tuple[tuple[str, str], ...]:
    """Long form and abbreviation for each that a text introduces: "Time To Collision (TTC)". Only where its capitals are the initials
    of the words before it."""
    found: dict[tuple[str, str], None] = {}
    for match in _INTRODUCED.finditer(text):
        before, short = re.split(r"[ -]+", match[1].strip()), match[2]
        initials = [letter.lower() for letter in short if letter.isupper()]
        for count in range(len(initials), min(len(before), len(initials) + 3) + 1):
            if _initials_in(initials, before[-count:]):
                found.setdefault((" ".join(before[-count:]), short))
                break
    return tuple(found)


def _initials_in(initials: Sequence[str], before: Sequence[str]) -> bool:
    """Whether the letters begin words of a phrase in order, the first one the phrase itself."""
    if not before or before[0][0].lower() != initials[0]:
        return False
    at = 0
    for word in before:
        if at < len(initials) and word[0].lower() == initials[at]:
            at += 1
    return at == len(initials)
