"""One question to a language model: ask, read the JSON strictly, ask again when it cannot be used, keep count."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from regc.errors import LLMError
from regc.model.protocols import LLM, Reply
from regc.model.result import Finding


@dataclass(frozen=True)
class Question:
    """What is asked, the form of the answer, and the name under which it is counted and recorded."""

    label: str
    prompt: str
    schema: dict[str, Any] | None


@dataclass
class Tally:
    """What a family's extraction took. "First" counts are of the answers before any re-ask."""

    questions: int = 0
    reasks: int = 0
    unusable: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    unknown_usage: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    unpriced: int = 0
    claims: int = 0
    wrong_values: int = 0
    wrong_places: int = 0
    missing: int = 0
    final_wrong_values: int = 0
    final_wrong_places: int = 0
    repaired: int = 0
    refused: int = 0

    def add(self, other: Tally) -> None:
        """Take the counts of another family in."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def stats(self) -> dict[str, float]:
        """The counts under names for the report; `llm.cost` in US dollars, without the replies that have no price."""
        return {f"llm.{name}": round(float(value), 6) for name, value in sorted(vars(self).items())}


class UnusableError(Exception):
    """A reply that cannot be used, in words for a re-ask."""


@dataclass
class Asker:
    """Asks one model; at most `max_reasks` re-asks a question, whatever their reason. Never fills anything in.

    Once `stop` is set nothing more is asked: the run was interrupted, or another family's questions failed for good.
    """

    llm: LLM
    system: str
    max_reasks: int
    tally: Tally = field(default_factory=Tally)
    findings: list[Finding] = field(default_factory=list)
    asked: dict[str, int] = field(default_factory=dict)
    stop: threading.Event = field(default_factory=threading.Event)

    def may_ask(self, label: str) -> bool:
        """Whether that question has a re-ask left."""
        return self.asked.get(label, 0) <= self.max_reasks

    def ask(self, question: Question) -> dict[str, Any] | None:
        """The answer as a dict that fits the schema, numbers as their digits; None when no usable one came."""
        complaint = ""
        while self.may_ask(question.label):
            try:
                reply = self._reply(question, complaint)
                if reply.refusal:
                    self._problem("X424", question, f"the model declined to answer: {reply.refusal[:120]!r}")
                    return None
                if reply.truncated:
                    raise UnusableError("it was cut off at the token limit; keep quotes short and write nothing but the form")
                answer: dict[str, Any] = fit(read_json(reply.text), question.schema or {}, "")
                return answer
            except UnusableError as problem:
                complaint = str(problem)
                self.tally.unusable += 1
        if complaint:
            self._problem("X421", question, complaint)
        return None

    def prose(self, question: Question) -> str:
        """A free answer; a cut-off one is used up to the cut and told of."""
        reply = self._reply(question, "")
        if reply.refusal:
            self._problem("X424", question, f"the model declined to answer: {reply.refusal[:120]!r}")
            return ""
        if reply.truncated:
            self._problem("X421", question, "the text was cut off at the token limit", severity="warning")
        return reply.text

    def _reply(self, question: Question, complaint: str) -> Reply:
        if self.stop.is_set():
            raise LLMError("stopped", hint="run it again; with --record finished replies are kept")
        before = self.asked.get(question.label, 0)
        self.asked[question.label] = before + 1
        prompt = question.prompt
        if complaint:
            # what is quoted back may be words of the regulation, which must not end the evidence
            complaint = re.sub(r"</?\s*evidence\s*>", "", complaint, flags=re.IGNORECASE)
            prompt += f"\nYour last answer could not be used: {complaint}.\nAnswer with the complete JSON object alone.\n"
        if before == self.max_reasks and before:
            prompt += "\nThis is your last try.\n"
        messages = [{"role": "system", "content": self.system}, {"role": "user", "content": prompt}]
        reply = self.llm.complete(messages, schema=question.schema, label=question.label)
        count = self.tally
        count.questions += before == 0
        count.reasks += before > 0
        count.prompt_tokens += reply.prompt_tokens or 0
        count.completion_tokens += reply.completion_tokens or 0
        count.unknown_usage += reply.prompt_tokens is None or reply.completion_tokens is None
        count.seconds += reply.seconds
        count.cost += reply.cost or 0.0
        count.unpriced += reply.cost is None
        return reply

    def _problem(self, code: str, question: Question, why: str, severity: str = "error") -> None:
        hint = "its fields have no value and nothing is filled in; try another model, a larger --reply or --ask template"
        self.findings.append(
            Finding.model_validate(
                {"code": code, "severity": severity, "message": f"{question.label}: {self.llm.name}: {why}", "hint": hint}
            )
        )


def read_json(text: str) -> dict[str, Any]:
    """The JSON object in a reply, also when words or a code fence stand around it; numbers stay text. Raises UnusableError."""
    start = text.find("{")
    if start < 0:
        raise UnusableError("it holds no JSON object")
    try:
        decoder = json.JSONDecoder(
            parse_float=str, parse_int=str, parse_constant=_no_constant, object_pairs_hook=_no_doubles, strict=False
        )
        data, end = decoder.raw_decode(text, start)
    except ValueError as error:
        raise UnusableError(f"its JSON is broken: {str(error)[:80]}") from error
    if re.search(r"\{\s*\"", text[end:]):
        raise UnusableError("it holds more than one JSON object")
    if not isinstance(data, dict):
        raise UnusableError("it is no JSON object")
    return data


def fit(value: Any, schema: dict[str, Any], path: str) -> Any:
    """A value that fits the part of JSON Schema that the forms use, with the texts of its choices. Raises UnusableError with the place.

    A model that is not bound to the schema may write a choice in other case or spacing, or a part of it that no other choice has.
    """
    where = path or "the form"
    if "anyOf" in schema:
        if value is None and {"type": "null"} in schema["anyOf"]:
            return None
        schema = next(option for option in schema["anyOf"] if option != {"type": "null"})
    if "enum" in schema:
        return _choice(value, schema["enum"], where)
    kind = schema.get("type")
    if kind == "object":
        if not isinstance(value, dict):
            raise UnusableError(f"{where} must be an object")
        for name in schema.get("required", ()):
            if name not in value:
                raise UnusableError(f"{where} lacks {name}")
        for name in value:
            if name not in schema["properties"]:
                raise UnusableError(f"{where} has no field {str(name)[:40]!r}")
        return {name: fit(item, schema["properties"][name], f"{path}.{name}" if path else name) for name, item in value.items()}
    if kind == "array":
        if not isinstance(value, list):
            raise UnusableError(f"{where} must be a list")
        return [fit(item, schema["items"], f"{where}[{index}]") for index, item in enumerate(value)]
    if not isinstance(value, str):
        raise UnusableError(f"{where} must be text")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        raise UnusableError(f"{where}: {value[:40]!r} is no number with the digits of the text")
    if not value.strip():
        raise UnusableError(f"{where} is empty")
    return value


def _choice(value: Any, options: Sequence[str], where: str) -> str:
    said = " ".join(str(value).lower().split())
    plain = {option: " ".join(option.lower().split()) for option in options}
    same = [option for option, words in plain.items() if words == said]
    parts = [option for option, words in plain.items() if said and re.search(rf"(?<!\w){re.escape(said)}(?!\w)", words)]
    for found in (same, parts):
        if len(found) == 1 and isinstance(value, str):
            return found[0]
    listed = "; ".join(option if len(option) <= 80 else f"{option[:80]} ..." for option in options[:12])
    raise UnusableError(f"{where}: {str(value)[:60]!r} is not in the evidence given; choose one of: {listed}")


def form(properties: dict[str, Any]) -> dict[str, Any]:
    """An object schema of which every property must be there and no other may be."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def enum(choices: Sequence[str]) -> dict[str, Any]:
    """One of these texts."""
    return {"type": "string", "enum": list(dict.fromkeys(choices))}


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _no_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError("a field stands twice")
    return dict(pairs)
