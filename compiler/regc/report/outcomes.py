"""What `regc judge` and `regc eval` found, as the report's tables want it; their JSON is a user's file and may be another's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from regc.errors import DataFileError

_SCENARIO = ("verdict", "reason", "clause", "vehicle_type")
_GROUP = ("vehicle_type", "group", "verdict", "scenarios", "share", "limit", "reason")
_RUN = ("run", "verdict", "reason", "clause", "impact_speed", "warning_lead", "max_demand", "checks", "engine", "baseline")
#: Worst first: what a scenario counts as when several vehicle types drove it.
_WORST = ("fail", "invalid", "incomplete", "evidence", "pass")


def judged(judgement: Mapping[str, Any] | None) -> dict[str, Any]:
    """The parts of a judgement that the report shows, {} without one. Raises DataFileError for a file of another shape."""
    if judgement is None:
        return {}
    try:
        outcomes = {
            "scenarios": [
                {key: item.get(key, "") for key in _SCENARIO} | {"scenario": item["scenario"]} for item in judgement["scenarios"]
            ],
            "groups": [{key: item[key] for key in _GROUP} for item in judgement.get("groups", ())],
            "not_driven": list(judgement.get("not_driven", ())),
            "runs": list(judgement.get("runs", ())),
        }
        wrong = [item for item in outcomes["scenarios"] if item["verdict"] not in _WORST]
    except (KeyError, TypeError, AttributeError) as error:
        raise DataFileError(f"not the JSON of regc judge: no {error}", hint="regc judge … --out FOLDER writes verdicts.json") from error
    if wrong:
        raise DataFileError(f"no verdict {wrong[0]['verdict']!r}", hint=f"verdicts are {', '.join(_WORST)}")
    return outcomes


def verdicts_of(outcomes: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Scenario -> its worst verdict and those of all vehicle types."""
    by_scenario: dict[str, list[dict[str, Any]]] = {}
    for item in outcomes.get("scenarios", ()):
        by_scenario.setdefault(item["scenario"], []).append(item)
    return {
        id: {"verdict": min((item["verdict"] for item in items), key=_WORST.index), "all": items} for id, items in by_scenario.items()
    }


def engines_of(outcomes: Mapping[str, Any], *, simulated: bool) -> list[tuple[str, int]]:
    """What made the runs, simulated or not, with how many; baselines without a system left out."""
    runs = [run for run in outcomes.get("runs", ()) if not run.get("baseline") and bool(run.get("simulated")) == simulated]
    return Counter(str(run.get("engine") or "log") for run in runs).most_common()


def runs_of(judgement: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Runs by scenario: what decided, measured speeds and times, and each check."""
    runs: dict[str, list[dict[str, Any]]] = {}
    for run in judgement.get("runs", ()):
        runs.setdefault(run["scenario"], []).append({key: run[key] for key in _RUN if run.get(key) not in (None, "", [], False)})
    return runs


def evaluation(scores: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Scores in per cent by family and in all, Meta-Score, misses with what differs, and how many of each kind; of several runs each
    run's own and their spread. Raises DataFileError for a file of another shape."""
    if scores is None:
        return None
    try:
        return _runs(scores) if "spread" in scores else _single(scores)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DataFileError(
            f"not the JSON of regc eval: no {error}", hint="regc eval --truth T.csv --generated G.csv --json"
        ) from error


def _single(scores: Mapping[str, Any]) -> dict[str, Any]:
    exact = scores.get("exact", {})
    rows = [_row(name, value, exact.get("families", {}).get(name)) for name, value in scores["families"].items()]
    rows.append(_row("all", scores["overall"], exact.get("overall")))
    misses = [_miss(miss) for miss in (exact or scores).get("misses", ())]
    kinds = Counter(str(miss["kind"]) for miss in misses)
    meta = scores.get("meta_score")
    score = None if meta is None else f"{meta:.2f}"
    return {"rows": rows, "meta_score": score, "misses": misses, "kinds": kinds.most_common(), "spread": []}


def _runs(scores: Mapping[str, Any]) -> dict[str, Any]:
    rows = [
        _row(str(run.get("generated") or number), run["overall"], run.get("exact", {}).get("overall"))
        for number, run in enumerate(scores["runs"], start=1)
    ]
    spread = [
        (name.replace("_", "-"), *(f"{factor * scores['spread'][name][key]:.2f}" for key in ("mean", "stdev", "min", "max")))
        for name, factor in (("precision", 100), ("recall", 100), ("f1", 100), ("meta_score", 1))
    ]
    return {"rows": rows, "meta_score": None, "misses": [], "kinds": [], "spread": spread}


def _miss(miss: Mapping[str, Any]) -> dict[str, Any]:
    parts = {side: [*miss.get("numbers", {}).get(side, ()), *miss.get("terms", {}).get(side, ())] for side in ("missing", "extra")}
    told = {side: ", ".join(str(part) for part in parts_of) for side, parts_of in parts.items()}
    return {key: miss.get(key) for key in ("id", "kind", "nearest", "cosine", "score")} | told


def _row(name: str, score: Mapping[str, Any], exact: Mapping[str, Any] | None) -> dict[str, str]:
    row = {"name": name} | {key: f"{100 * score[key]:.2f}" for key in ("precision", "recall", "f1")}
    row |= {key: str(score[key]) for key in ("tp", "fp", "fn")}
    return row | {"exact": f"{100 * exact['f1']:.2f}" if exact else ""}
