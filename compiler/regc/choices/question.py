"""One closed question: choices with labels, an answer bound to them, what the compiler says to it, at most two re-asks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from regc.model.protocols import LLM, Progress

#: The answer that none of the choices is meant.
NONE = "none"
#: How often a refused answer is asked again.
_AGAIN = 2
_SYSTEM = (
    "You read vehicle regulations. You are shown a passage and choices that are labelled. Answer with the label of the one choice that "
    "is meant, or none. You never write numbers or words of your own."
)


@dataclass(frozen=True)
class Question:
    """`label` names it in logs and recordings, `text` asks, `choices` are label -> what it stands for, in the order shown."""

    label: str
    text: str
    choices: Mapping[str, str]
    may_be_none: bool = True

    @property
    def labels(self) -> tuple[str, ...]:
        """Every answer that there is."""
        return (*self.choices, *((NONE,) if self.may_be_none else ()))

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the answer."""
        return {
            "type": "object",
            "properties": {"choice": {"type": "string", "enum": list(self.labels)}},
            "required": ["choice"],
            "additionalProperties": False,
        }

    @property
    def prompt(self) -> str:
        """The question with its choices."""
        none = f"\n{NONE}: none of them" if self.may_be_none else ""
        listed = "\n".join(f"{label}: {said}" for label, said in self.choices.items())
        return f'{self.text}\n\nChoices:\n{listed}{none}\n\nAnswer in JSON: {{"choice": "LABEL"}}'


@dataclass(frozen=True)
class Answered:
    """What came of a question: the answers in their order, why all but the accepted one were refused, the accepted one ("" for none
    that the compiler takes)."""

    question: Question
    answers: tuple[str, ...]
    refused: tuple[str, ...]
    accepted: str

    @property
    def first(self) -> str:
        """The answer before any refusal."""
        return self.answers[0] if self.answers else ""


def silent(what: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


def taken(answer: str) -> str:
    """Any answer is right: for a question whose answers need no compiler."""
    return ""


class Questioner:
    """Asks one model, one question at a time; `log` holds every question with its answers."""

    def __init__(self, llm: LLM, progress: Progress = silent) -> None:
        self.llm, self.name, self.progress = llm, llm.name, progress
        self.log: list[Answered] = []
        self._known: dict[str, str] = {}

    def ask(self, question: Question, refusal: Callable[[str], str] = taken) -> str:
        """The label of the choice that the model makes and `refusal` (the compiler's words, "" for none) lets stand; NONE where it says
        so, or where its answer and two more are refused. The same question is put once. Raises LLMError."""
        if question.prompt in self._known:
            return self._known[question.prompt]
        messages = [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": question.prompt}]
        answers: list[str] = []
        refused: list[str] = []
        self.progress(f"ask {question.label}"[:60], len(self.log), len(self.log) + 1)
        accepted = ""
        while len(refused) <= _AGAIN:
            reply = self.llm.complete(messages, schema=question.schema, label=question.label)
            answer = _choice(reply.text)
            answers.append(answer)
            said = refusal(answer) if answer in question.choices else ""
            if answer not in question.labels:
                said = f"{answer[:40]!r} is none of {', '.join(question.labels)}"
            if not said:
                accepted = answer
                break
            refused.append(said)
            messages += [
                {"role": "assistant", "content": json.dumps({"choice": answer})},
                {"role": "user", "content": f"That answer is refused: {said}. Choose again, or {NONE}."},
            ]
        self.log.append(Answered(question, tuple(answers), tuple(refused), accepted))
        self._known[question.prompt] = accepted or NONE
        return accepted or NONE


def _choice(text: str) -> str:
    """The label in an answer; what was written where it is no such JSON."""
    try:
        data = json.loads(text)
    except ValueError:
        return text.strip()
    held = data.get("choice", "") if isinstance(data, dict) else data
    return str(held).strip()


def labelled(count: int) -> tuple[str, ...]:
    """Labels for so many choices: A, B, ... Z, AA, AB, ..."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return tuple(letters[index] if index < 26 else letters[index // 26 - 1] + letters[index % 26] for index in range(count))
