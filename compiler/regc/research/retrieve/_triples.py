"""Open triples of a passage: by a language model, or by noun phrases where there is none."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

from regc.errors import LLMError
from regc.model.protocols import LLM
from regc.retrieve._text import STOPWORDS, stem

Triple = tuple[str, str, str]

#: What the language model is asked for.
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "triples": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"subject": {"type": "string"}, "relation": {"type": "string"}, "object": {"type": "string"}},
                "required": ["subject", "relation", "object"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["triples"],
    "additionalProperties": False,
}
_SENTENCE = re.compile(r"(?<=[.;:!?])\s+|\n+")
_TOKEN = re.compile(r"[A-Za-z][A-Za-z-]*[0-9]?|\d+(?:\.\d+)*|[,()|<>]")
#: Words that end a noun phrase besides stop words: the verbs and modals that regulations are written with.
_BREAKS = STOPWORDS | frozenset(
    re.findall(
        r"[a-z]+",
        """shall must should may can will not no means mean provided specified defined referred mentioned described required apply
        applies according accordance start starts comply tested test tests performed after before during between above below least
        more less either both all each any other same""",
    )
)


def triples_of(text: str, llm: LLM | None) -> list[Triple]:
    """The triples of a passage; with a language model's, its answer as it is (none when it gives no usable one)."""
    return _by_model(text, llm) if llm is not None else _by_phrases(text)


def phrases(text: str) -> list[str]:
    """Noun phrases of a text in order: runs of at most four words between stop words, verbs and signs, stemmed."""
    return [phrase for sentence in _SENTENCE.split(text) for phrase, _ in _phrases(sentence)]


def entity(text: str) -> str:
    """The name under which an entity is kept: stemmed lower-case words."""
    return " ".join(stem(word) for word in re.findall(r"[a-z0-9.]+", text.lower()) if word not in STOPWORDS)


def _by_model(text: str, llm: LLM) -> list[Triple]:
    messages = [
        {"role": "system", "content": "Extract the facts of the passage as subject, relation, object triples. Use its own words."},
        {"role": "user", "content": text},
    ]
    try:
        answer = json.loads(llm.complete(messages, schema=SCHEMA, label="triples").text)
        found = [(entity(one["subject"]), str(one["relation"]), entity(one["object"])) for one in answer["triples"]]
    except (LLMError, ValueError, KeyError, TypeError):
        return []
    return [one for one in found if one[0] and one[2]]


def _by_phrases(text: str) -> list[Triple]:
    found: list[Triple] = []
    for sentence in _SENTENCE.split(text):
        named = _phrases(sentence)
        found += [(first, between, second) for (first, between), (second, _) in pairwise(named) if first != second]
    return found


def _phrases(sentence: str) -> list[tuple[str, str]]:
    """Phrases with the words that stand between each and the next."""
    found: list[tuple[list[str], list[str]]] = []
    open_phrase = False
    for token in _TOKEN.findall(sentence):
        word = token.lower()
        if word in _BREAKS or not word[0].isalnum():
            open_phrase = False
            if found:
                found[-1][1].append(word)
        elif open_phrase and len(found[-1][0]) < 4:
            found[-1][0].append(stem(word))
        else:
            found.append(([stem(word)], []))
            open_phrase = True
    return [(" ".join(phrase), " ".join(between)) for phrase, between in found if any(word[0].isalpha() for word in phrase)]
