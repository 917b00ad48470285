"""All five regulations, driven by the built-in engine: the reference passes what can be driven, late never does where it should not."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from tests.lang.documents import REGULATIONS, embedded

from regc.engines.kinematic import drive
from regc.judge.campaign import judge
from regc.judge.declarations import Declarations
from regc.judge.verdict import Judgement
from regc.lang import evaluate, load_profile
from regc.manoeuvres import data
from regc.manoeuvres.plan import Options
from regc.manoeuvres.suite import staged
from regc.model.suite import Suite
from regc.runs.playback import info_of, log_of

TEXTS = {"un131": "02.md", "fmvss127": "2024.md", "un130": "00.md", "un171": "00.md"}
TOLD = Declarations(values={"urban": "no", "avoids_up_to": "0 km/h"})


@cache
def suite(regulation: str) -> Suite:
    return evaluate(load_profile(REGULATIONS / regulation / "profile.toml"), embedded(regulation, TEXTS[regulation]))


def judged(regulation: str, ego: str, part: str = "") -> Judgement:
    whole = suite(regulation)
    chosen = [scenario for scenario in whole.scenarios if part in scenario.id]
    laid_out = staged(chosen, data.load(None, None, None), Options(ego), 0)  # type: ignore[arg-type]
    logs = [log_of(item, drive(item), info_of(item, run=item.variant or "1", ego=ego)) for item in laid_out.stages]
    return judge(whole, logs, declarations=TOLD, chosen=[scenario.id for scenario in chosen])


@pytest.mark.parametrize(("regulation", "part"), [("un131", "_Hydr_MaxMass"), ("un131", "p6.10"), ("fmvss127", ""), ("un130", "")])
def test_reference_passes_every_test(regulation: str, part: str) -> None:
    judgement = judged(regulation, "reference", part)
    assert judgement.runs
    assert Counter(run.verdict for run in judgement.runs) == {"pass": len(judgement.runs)}, [
        (run.scenario, run.reason) for run in judgement.runs if run.verdict != "pass"
    ]


@pytest.mark.parametrize(("regulation", "part"), [("un131", "_Hydr_MaxMass"), ("un131", "p6.10"), ("fmvss127", "S9"), ("un130", "")])
def test_late_fails_every_test(regulation: str, part: str) -> None:
    judgement = judged(regulation, "late", part)
    assert judgement.runs
    assert {run.verdict for run in judgement.runs} == {"fail"}, [
        (run.scenario, run.verdict, run.reason) for run in judgement.runs if run.verdict != "fail"
    ]


def test_what_a_person_assesses_stays_evidence() -> None:
    judgement = judged("un171", "reference")
    states = Counter(run.verdict for run in judgement.runs)
    assert set(states) <= {"pass", "evidence"}
    assert states["evidence"] >= 1


def test_undeclared_vehicle_of_un131_leaves_open_what_hangs_on_it() -> None:
    # 100 km/h with a reduction of 38.55 km/h: enough for the table, not for vehicles in urban areas; nobody has said which it is
    whole = suite("un131")
    chosen = [scenario for scenario in whole.scenarios if "VtoStV_DerM1N1_MaxMass_100" in scenario.id]
    laid_out = staged(chosen, data.load(None, None, None), Options("reference"), 0)
    logs = [log_of(item, drive(item), info_of(item)) for item in laid_out.stages]
    verdicts = {}
    for urban in ("", "yes", "no"):
        values = {"avoids_up_to": "0 km/h", **({"urban": urban} if urban else {})}
        (run,) = judge(whole, logs, declarations=Declarations(values=values)).runs
        verdicts[urban] = run.verdict
        if not urban:
            assert "declare urban" in run.reason
    assert verdicts == {"": "incomplete", "yes": "fail", "no": "pass"}
