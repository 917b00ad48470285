"""Retrieval systems x language models x ways of asking x families: F1, mean, sigma, Meta-Score, and what it took.

Everything that belongs to a stage (contexts, extraction, scoring) comes in as a callable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from statistics import fmean, pstdev
from typing import Literal

from regc.errors import RegcError
from regc.model.chunk import Context
from regc.model.scenario import Scenario
from regc.model.source import Frozen

Ask = Literal["rules", "template", "rows", "prose"]


class Task(Frozen):
    """One cell of the table. `model` is "PROVIDER:MODEL", or "rules" for the extractor without one. `category`: only this one."""

    system: str
    model: str = "rules"
    ask: Ask = "rules"
    category: str | None = None


class Made(Frozen):
    """What an extractor made of a system's contexts: scenarios, or texts (family token, title, text) where it wrote prose.

    `stats` are the extractor's own counts.
    """

    scenarios: tuple[Scenario, ...] = ()
    texts: tuple[tuple[str, str, str], ...] = ()
    stats: dict[str, float] = {}


class Scored(Frozen):
    """F1 in per cent by family token, by the tolerant and by the exact comparison, and of fields compared exactly how many differ.

    `texts` is the number of test texts, `unmatched` how many of them equal no text of the truth exactly.
    """

    families: dict[str, float]
    exact: dict[str, float]
    fields: int = 0
    wrong_fields: int = 0
    texts: int = 0
    unmatched: int = 0


class Cell(Frozen):
    """One task with its figures; `skipped` says why there are none."""

    task: Task
    scored: Scored | None = None
    stats: dict[str, float] = {}
    skipped: str = ""

    def summary(self) -> dict[str, float]:
        """F1 by family, mean, sigma, Meta-Score, exact mean; hallucinations before and after the re-read in per cent; costs."""
        if self.scored is None:
            return {}
        found = self.scored
        values = list(found.families.values())
        mean, sigma = fmean(values), pstdev(values)
        return {
            **found.families,
            "mean": mean,
            "sigma": sigma,
            "meta": mean - sigma,
            "exact": fmean(found.exact.values()),
            "wrong before": self._before(),
            "wrong after": 100 * found.wrong_fields / found.fields if found.fields else 100 * found.unmatched / max(found.texts, 1),
            "claims": self._stat("claims"),
            "re-asks": self._stat("reasks"),
            "repaired": self._stat("final_wrong_values"),
            "refused": self._stat("refused"),
            "tokens": self._stat("prompt_tokens") + self._stat("completion_tokens"),
            "seconds": self._stat("seconds"),
            "USD": self._stat("cost"),
        }

    def _before(self) -> float:
        """Share of the model's first claims that the re-read did not bear out."""
        claims = self._stat("claims")
        return 100 * (self._stat("wrong_values") + self._stat("wrong_places")) / claims if claims else 0.0

    def _stat(self, name: str) -> float:
        return self.stats.get(f"llm.{name}", 0.0)


def run(
    tasks: Iterable[Task],
    contexts: Callable[[str], Mapping[str, Context]],
    extract: Callable[[Task, Mapping[str, Context]], Made],
    score: Callable[[Task, Made], Scored],
    told: Callable[[Cell], None],
) -> list[Cell]:
    """Every task in turn; one that cannot run is told of and the next is taken."""
    known: dict[str, Mapping[str, Context]] = {}
    cells: list[Cell] = []
    for task in tasks:
        try:
            if task.system not in known:
                known[task.system] = contexts(task.system)
            made = extract(task, known[task.system])
            cell = Cell(task=task, scored=score(task, made), stats=made.stats)
        except RegcError as error:
            cell = Cell(task=task, skipped=f"{error}" + (f" ({error.hint})" if error.hint else ""))
        cells.append(cell)
        told(cell)
    return cells
