"""Language models of tests: one that answers as it is told, and how often it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from regc.model.protocols import Reply


def choices_of(prompt: str) -> dict[str, str]:
    """The labels of a question with what they stand for."""
    listed = prompt.rpartition("Choices:\n")[2].partition("\n\n")[0]
    return dict(line.partition(": ")[::2] for line in listed.splitlines())


class FakeModel:
    """Answers each question by `pick`, which gets the text before the choices, and the choices, and gives a label."""

    name = "fake:model"

    def __init__(self, pick: Callable[[str, dict[str, str]], str]) -> None:
        self.pick = pick
        self.asked: list[str] = []
        self.questions: list[str] = []
        self.answers: list[str] = []
        self.schemas: list[Any] = []

    def complete(self, messages: Sequence[dict[str, str]], *, schema: dict[str, Any] | None = None, label: str = "") -> Reply:
        self.asked.append(label)
        self.schemas.append(schema)
        question = messages[1]["content"]
        choice = self.pick(messages[-1]["content"] if len(messages) > 2 else question, choices_of(question))
        self.questions.append(question)
        self.answers.append(choice)
        return Reply(text=json.dumps({"choice": choice}), model=self.name, prompt_tokens=0, completion_tokens=0)


def holding(*means: str) -> FakeModel:
    """A model that takes the first choice which holds one of some words, and else none."""

    def pick(_: str, choices: dict[str, str]) -> str:
        return next((label for words in means for label, said in choices.items() if words in said), "none")

    return FakeModel(pick)
