"""What `regc judge` and `regc eval` found, as the report's tables want it; their JSON is a user's file and may be another's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from regc.errors import DataFileError

_SCENARIO = ("verdict", "reason", "clause", "vehicle_type")
_GROUP = ("vehicle_type", "group", "mandatory", "verdict", "scenarios", "share", "limit", "reason")
_RUN = (
    "run",
    "vehicle_type",
    "verdict",
    "reason",
    "clause",
    "impact_speed",
    "warning_lead",
    "max_demand",
    "checks",
    "engine",
    "baseline",
)


#: Worst first: what a scenario counts as when several vehicle types drove it.
_WORST = ("fail", "invalid", "incomplete", "evidence", "pass")


def judged(judgement: Mapping[str, Any] | None) -> dict[str, Any]:
    """The parts of a judgement that the report shows, {} without one. Raises DataFileError for a file of another shape."""
    if judgement is None:
        return {}
    try:
        found = {
            "scenarios": [
                {key: item.get(key, "") for key in _SCENARIO} | {"scenario": item["scenario"]} for item in judgement["scenarios"]
            ],
            "groups": [{key: item[key] for key in _GROUP} for item in judgement.get("groups", ())],
            "not_driven": list(judgement.get("not_driven", ())),
            "runs": list(judgement.get("runs", ())),
        }
        wrong = [item for item in found["scenarios"] if item["verdict"] not in _WORST]
    except (KeyError, TypeError, AttributeError) as error:
        raise DataFileError(f"not the JSON of regc judge: no {error}", hint="regc judge … --out FOLDER writes verdicts.json") from error
    if wrong:
        raise DataFileError(f"no verdict {wrong[0]['verdict']!r}", hint=f"verdicts are {', '.join(_WORST)}")
    return found


def verdicts_of(found: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Scenario -> its worst verdict and those of all vehicle types."""
    by_scenario: dict[str, list[dict[str, Any]]] = {}
    for item in found.get("scenarios", ()):
        by_scenario.setdefault(item["scenario"], []).append(item)
    return {
        id: {"verdict": min((item["verdict"] for item in items), key=_WORST.index), "all": items} for id, items in by_scenario.items()
    }


def runs_of(judgement: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Runs by scenario: what decided, measured speeds and times, and each check."""
    found: dict[str, list[dict[str, Any]]] = {}
    for run in judgement.get("runs", ()):
        found.setdefault(run["scenario"], []).append(
            {
                key: run[key]
                for key in (
                    "run",
                    "verdict",
                    "reason",
                    "clause",
                    "impact_speed",
                    "warning_lead",
                    "max_demand",
                    "checks",
                    "engine",
                    "baseline",
                )
                if run.get(key) not in (None, "", [], False)
            }
        )
    return found


def evaluation(scores: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Scores in per cent by family and in all, Meta-Score, and misses. Raises DataFileError for a file of another shape."""
    if scores is None:
        return None
    try:
        rows = [_row(name, value, scores.get("exact", {}).get("families", {}).get(name)) for name, value in scores["families"].items()]
        rows.append(_row("all", scores["overall"], scores.get("exact", {}).get("overall")))
    except (KeyError, TypeError, AttributeError) as error:
        raise DataFileError(
            f"not the JSON of regc eval: no {error}", hint="regc eval --truth T.csv --generated G.csv --json"
        ) from error
    misses: Sequence[Mapping[str, Any]] = scores.get("exact", scores).get("misses", ())
    return {"rows": rows, "meta_score": scores.get("meta_score"), "misses": misses}


def _row(name: str, score: Mapping[str, Any], exact: Mapping[str, Any] | None) -> dict[str, str]:
    row = {"name": name} | {key: f"{100 * score[key]:.2f}" for key in ("precision", "recall", "f1")}
    row |= {key: str(score[key]) for key in ("tp", "fp", "fn")}
    return row | {"exact": f"{100 * exact['f1']:.2f}" if exact else ""}
