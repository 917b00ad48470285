"""From a number or words of a clause to the shortest place that reads exactly that back; the other way round than lang/places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from regc.lang.citation import BARRED, words_around
from regc.lang.faults import ProfileError
from regc.lang.places import Reader, stands
from regc.lang.vocabulary import vocabulary
from regc.lang.words import Measurement, quantities, sentences
from regc.model.document import Clause


@dataclass(frozen=True)
class Sentence:
    """A sentence [start, end) of a clause; `item` is the label of the list item that it stands in."""

    clause: str
    item: str
    start: int
    end: int
    text: str
    lead: str = ""

    def numbers(self, dimension: str, clause_text: str) -> list[Measurement]:
        """Its quantities of a dimension, examples and conversions excepted; positions are those of the clause's text."""
        here = [
            measured
            for measured in quantities(clause_text).measurements
            if self.start <= measured.start < self.end and not measured.conversion and not measured.example
        ]
        own = [measured for measured in here if measured.dimension == dimension]
        # "does not exceed +-1 deg/s" bounds a quantity on both sides; the compiler reads it as an upper bound of its size
        return own or [
            replace(measured, lo=measured.hi, bound="le", dimension=dimension)
            for measured in here
            if measured.dimension == "tolerance"
            and measured.unit
            and measured.lo == measured.hi
            and vocabulary().dimension(measured.unit) == dimension
        ]


def sentences_of(clause: Clause) -> Iterator[Sentence]:
    """Every sentence of a clause, with the item that it stands in."""
    for start, end in sentences(clause.text):
        item = next((item for item in reversed(clause.items) if item.start <= start < item.start + len(item.text)), None)
        yield Sentence(clause.id, item.label if item else "", start, end, clause.text[start:end].strip(), item.lead if item else "")


#: Places of one number that are offered at most.
_OFFERED = 4


def number_place(reader: Reader, sentence: Sentence, measured: Measurement, dimension: str) -> str | None:
    """The shortest place that reads exactly a measurement of a sentence as `dimension`; None where no words tell it apart."""
    return next(number_places(reader, sentence, measured, dimension), None)


def number_places(reader: Reader, sentence: Sentence, measured: Measurement, dimension: str) -> Iterator[str]:
    """Places that read exactly a measurement of a sentence as `dimension`, the shortest first: the item alone, the clause alone, then
    the fewest words before the number, behind it, on both sides."""
    text = reader.clauses[sentence.clause].text
    before, behind = text[sentence.start : measured.start].split(), text[measured.end : sentence.end].split()
    offered = 0
    for home in dict.fromkeys((sentence.clause + sentence.item, sentence.clause)):
        for words in ("", *words_around(before, behind)):
            place = f"{home}: {words}" if words else home
            if _reads(reader, place, measured, dimension, sentence):
                yield place
                offered += 1
            if offered == _OFFERED:
                return


def _reads(reader: Reader, place: str, measured: Measurement, dimension: str, sentence: Sentence) -> bool:
    try:
        if dimension.startswith("tolerance of "):
            around = reader.read_tolerance(place, {}, dimension.removeprefix("tolerance of "))
            lo = measured.lo if measured.dimension == "tolerance" else measured.hi
            return (around.minus, around.plus) == (lo, measured.hi)
        value = reader.read(place, {}, dimension)
    except ProfileError:
        return False
    if (value.lo, value.hi, value.unit) != (measured.lo, measured.hi, measured.unit):
        return False
    # the same digits elsewhere in the clause are another statement
    source = value.sources[0]
    return source.clause == sentence.clause and _together(source.quote, sentence.text)


def _together(quote: str, text: str) -> bool:
    quote, text = " ".join(quote.split()), " ".join(text.split())
    return quote in text or text in quote


def said_place(reader: Reader, sentence: Sentence, said: str) -> str | None:
    """A place that cites words of a sentence; None where they cannot stand in a place."""
    tokens = said.split()
    whole = sentence.text.split()
    at = next((index for index in range(len(whole)) if " ".join(whole[index:]).lower().startswith(said.lower()[:12])), 0)
    options = [" ".join(tokens), *(" ".join(whole[at : at + count]) for count in range(len(tokens), len(tokens) + 8))]
    for home in dict.fromkeys((sentence.clause + sentence.item, sentence.clause)):
        for words in options:
            if not words or BARRED.search(words):
                continue
            try:
                span = reader.spans(home, {})[0]
            except ProfileError:
                continue
            match = stands(words, span.text)
            if match and sentence.start <= span.start + match.start() < sentence.end:
                return f"{home}: {words}"
    return None


def relative(place: str, at: str, req: str | None = None) -> str:
    """A place under the test's clause or requirement in its short form: "6.4(a)" at 6.4 is "(a)", "6.5.1: x" at 6.5 is ".1: x"."""
    address, colon, words = place.partition(":")
    for root, name in ((at, ""), (req or "", "req")):
        if not root or not (address == root or address.startswith((f"{root}.", f"{root}("))):
            continue
        rest = address[len(root) :]
        return f"[{(name + rest) or 'at'}{colon}{words}]"
    return f"[{place}]"
