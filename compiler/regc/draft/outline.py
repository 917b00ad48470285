"""Which clauses prescribe a drive, of which kind, and which clauses say what it must show."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from regc.draft.addresses import Sentence, sentences_of
from regc.draft.field import field
from regc.lang.places import under
from regc.lang.vocabulary import vocabulary
from regc.model.document import Clause, Document

#: What a title tells of the kind of a drive counts as much as so many words of the text.
_TITLE = 4


@dataclass(frozen=True)
class DrivenClause:
    """A clause that prescribes a drive, with its kind and the clause of its requirement ("" where none is found). `asked`: a
    model chose the kind."""

    at: str
    title: str
    manoeuvre: str
    requirement: str
    asked: bool = False


class Outline:
    """A document by its numbering: chapters, titles, sentences, who cites whom."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.clauses = {clause.id: clause for clause in document.clauses}
        self._below: dict[str, list[Clause]] = {}
        self._sentences = {clause.id: tuple(sentences_of(clause)) for clause in document.clauses}

    def below(self, root: str) -> list[Clause]:
        """A clause and those under it."""
        if root not in self._below:
            self._below[root] = [clause for clause in self.document.clauses if under(clause.id, root)]
        return self._below[root]

    def sentences(self, root: str) -> Iterator[Sentence]:
        """Every sentence of a clause and of those under it."""
        for clause in self.below(root):
            yield from self._sentences[clause.id]

    def own(self, id: str) -> tuple[Sentence, ...]:
        """The sentences of a clause alone."""
        return self._sentences[id]

    def text(self, root: str) -> str:
        """The text of a clause and of those under it, titles included."""
        return "\n".join(f"{clause.title or ''}\n{clause.text}" for clause in self.below(root))

    def above(self, id: str) -> Iterator[Clause]:
        """The clauses above one, nearest first, the unnumbered region last."""
        clause = self.clauses.get(id)
        while clause is not None:
            parent = clause.parent or (clause.region if clause.number is not None else None)
            clause = self.clauses.get(parent) if parent and parent != clause.id else None
            if clause is not None:
                yield clause

    def chapter(self, id: str) -> str:
        """The outermost numbered clause above one."""
        numbered = [clause.id for clause in self.above(id) if clause.number is not None]
        return numbered[-1] if numbered else id

    def cites(self, id: str) -> Iterator[str]:
        """The clauses that cite one by its number."""
        clause = self.clauses[id]
        if clause.number is None:
            return
        pattern = re.compile(rf"(?<![\w.]){re.escape(clause.number)}\.?(?![\d.]*\d|\w)")
        for other in self.document.clauses:
            if other.region == clause.region and not under(other.id, id) and pattern.search(other.text):
                yield other.id

    def cited_by(self, root: str) -> list[str]:
        """The clauses that the text of one and of those under it cites, in the order of the text."""
        citing: list[str] = []
        for clause in self.below(root):
            for number in re.findall(r"(?<![\w.])(?:[A-Z]?\d+(?:\.\d+)+)", clause.text):
                id = f"{clause.region}, {number}" if clause.region != "body" else number
                if id in self.clauses and id not in citing and not under(id, root):
                    citing.append(id)
        return citing


def units(outline: Outline, asked: Callable[[Clause], str] | None = None) -> list[DrivenClause]:
    """The clauses that prescribe a drive, in the order of the document: titled clauses of a chapter of tests in which a sentence
    prescribes a drive of a kind that the vocabulary has. `asked` says the kind where the words of the field do not."""
    known, driven = field(), {}
    for clause in outline.document.clauses:
        if clause.number is None or not known.words("test", "drives").find(clause.text):
            continue
        if known.words("test", "extended").find((clause.text.splitlines() or [""])[0][:40]):
            continue
        home = _home(outline, clause)
        if home is None or not _of_tests(outline, home) or known.words("test", "extended").find(home.title or ""):
            continue
        if home.id in driven:
            continue
        by_words = _manoeuvre(outline, home)
        manoeuvre = by_words or (asked(home) if asked is not None else "")
        if manoeuvre:
            driven[home.id] = DrivenClause(home.id, home.title or "", manoeuvre, requirement(outline, home.id), not by_words)
    inner = {id for id in driven if any(other != id and under(other, id) for other in driven)}
    return [unit for id, unit in driven.items() if id not in inner]


def _home(outline: Outline, clause: Clause) -> Clause | None:
    """The clause that names the test: itself or the nearest above with a title that is not that of a part of a test."""
    for each in (clause, *outline.above(clause.id)):
        if each.number is not None and each.title and not field().words("test", "part").find(each.title):
            return each
    return None


def _of_tests(outline: Outline, clause: Clause) -> bool:
    """Whether the chapter of a clause is one of tests, by its own title or that of its annex."""
    titles = [each.title or each.text.split("\n")[0][:120] for each in (*outline.above(clause.id),)]
    if not titles:
        titles = [clause.title or ""]
    return any(field().words("test", "chapter").find(title) for title in titles)


def _manoeuvre(outline: Outline, home: Clause) -> str:
    """The kind of drive whose words fit title and text best; "" for none."""
    title, text = home.title or "", outline.text(home.id)
    scores: Counter[str] = Counter()
    for name in vocabulary().manoeuvres:
        for words in field().words("manoeuvre", name, "title").patterns:
            scores[name] += _TITLE * bool(words.search(title))
        for words in field().words("manoeuvre", name, "text").patterns:
            scores[name] += bool(words.search(text))
        scores[name] += _TITLE * 2 * bool(len(title) and _fits_exactly(name, title, text))
    # the vocabulary goes from the common to the special: of two that fit alike the special one is meant
    best = max(reversed(list(scores)), key=lambda name: scores[name])
    return best if scores[best] else ""


def _fits_exactly(name: str, title: str, text: str) -> bool:
    """A kind that title and text both speak of."""
    known = field()
    return bool(known.words("manoeuvre", name, "title").find(title) and known.words("manoeuvre", name, "text").find(text))


def requirement(outline: Outline, at: str) -> str:
    """The clause of what a test must show: that above the clauses which cite the test, else that above those which the test cites,
    most often named first; "" where none is found."""
    chapter = outline.chapter(at)
    for table in outline.document.tables:
        number = outline.clauses[at].number or at
        names_it = re.compile(rf"(?<![\w.]){re.escape(number)}(?:\.\d+)*\.?(?![\w])")
        cells = "\n".join(cell.text for row in table.rows for cell in row)
        if not under(table.clause, chapter) and names_it.search(cells) and _asks(outline.text(table.clause)):
            return table.clause
    for citing in (at, *(clause.id for clause in outline.above(at) if clause.number is not None)):
        votes: Counter[str] = Counter()
        for id in outline.cites(citing):
            text = outline.clauses[id].text
            if not under(id, chapter) and (vocabulary().must.search(text) or _asks(text)):
                votes[_raised(outline, id)] += 1
        if citing == at:
            for id in outline.cited_by(at):
                if not under(id, chapter) and vocabulary().must.search(outline.text(id)):
                    votes[_raised(outline, id)] += 1
        if votes:
            return max(votes, key=lambda id: (votes[id], id.count(".")))
    return ""


def _asks(text: str) -> bool:
    """Whether a text holds words of a criterion."""
    return any(asked.words.find(text) for asked in field().criteria)


def _raised(outline: Outline, id: str) -> str:
    """The clause above a paragraph of a requirement, but not a whole section."""
    parent = outline.clauses[id].parent
    return parent if parent and parent in outline.clauses and parent.count(".") >= 2 and len(outline.below(parent)) > 1 else id
