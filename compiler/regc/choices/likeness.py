"""How much of what lost words said a sentence says, by their rarity and by other words of the field; whether it demands or allows."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from regc.lang.places import Reader
from regc.retrieve.lexical import words as stemmed
from regc.retrieve.mentions import field_words, said

#: What another word of the field counts beside the word itself.
_OTHER = 0.5
_DEMANDS = re.compile(r"\b(?:shall|must|is to|are to|has to|have to)\b", re.I)
_ALLOWS = re.compile(r"\b(?:may|can|might|free to|allowed|permitted|permissible|option|optional(?:ly)?|at the discretion)\b", re.I)


class Likeness:
    """Of one document: a word that stands in few of its clauses tells more."""

    def __init__(self, reader: Reader) -> None:
        held = [set(stemmed(f"{clause.title or ''} {clause.text}")) for clause in reader.document.clauses]
        self._clauses = len(held)
        self._holders = Counter(word for words in held for word in words)

    def of(self, words: str, text: str) -> float:
        """What a text has of the words of a place, by their rarity; of alternatives that of the best one."""
        return max((self._of(part.replace("_", " ").replace("...", " "), text) for part in words.split("|")), default=0.0)

    def _of(self, words: str, text: str) -> float:
        held = set(stemmed(text))
        own = set(stemmed(words))
        worth_of = {word: self._worth(word) for word in own & held}
        for group in _groups():
            lost = {stem for phrase, stems in group.items() if own.issuperset(stems) and said([phrase], words) for stem in stems}
            others = [stems for phrase, stems in group.items() if held.issuperset(stems) and said([phrase], text)] if lost else []
            rarest = max((self._worth(stem) for stems in others for stem in stems), default=0.0)
            for word in lost:
                worth_of[word] = max(worth_of.get(word, 0.0), _OTHER * min(rarest, self._worth(word)))
        return sum(worth_of.values())

    def _worth(self, word: str) -> float:
        return math.log(1 + self._clauses / (1 + self._holders[word]))


def other_words(words: str, text: str) -> tuple[str, str] | None:
    """Words of the field that stand in a text for words that were lost: ("kerb mass", "running order"); None where none do."""
    for group in _groups():
        lost = [phrase for phrase in group if said([phrase], words)]
        new = [phrase for phrase in group if said([phrase], text)]
        if lost and new and set(lost).isdisjoint(new):
            return new[0], lost[0]
    return None


def same_force(words: str, text: str) -> bool:
    """Whether a sentence can say what words said that demand ("shall") or allow ("may") something."""
    demands, allows = _DEMANDS.search(words), _ALLOWS.search(words)
    return bool((not demands or _DEMANDS.search(text)) and (not allows or _ALLOWS.search(text)))


@lru_cache(maxsize=1)
def _groups() -> tuple[Mapping[str, tuple[str, ...]], ...]:
    """The groups of words of the field that mean the same, each phrase with its stems."""
    return tuple({phrase: tuple(stemmed(phrase)) for phrase in group} for group in field_words().synonyms)
