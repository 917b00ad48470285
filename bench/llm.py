"""How often a language model's first answer is right, by slot, beside chance: UN R152 in other words (tests/fixtures/rewordings.toml).

    python bench/llm.py                                       # the recorded replies of Qwen2.5-Coder-1.5B
    python bench/llm.py --llm PROVIDER:MODEL --record DIR     # a model of your own; every case

An answer is right where the choice is the number or sentence that the case means. Chance is the mean of one over the number of answers
that could be given, none included. Only first answers count: what the compiler refused and asked again is no merit of the model. A
wrong answer passed where it was taken with no error beside it.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from regc.cache import Cache
from regc.choices.mend import ModelMender
from regc.choices.question import NONE, Answered, Questioner
from regc.lang.evaluate import make_program, run
from regc.llm import Settings, open_llm
from regc.pipeline.documents import read
from regc.pipeline.profiles import load_profile, profile_folder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FIXTURES = Path(__file__).resolve().parents[1] / "tests" / "fixtures"


def is_meant(answered: Answered, label: str, means: list[str]) -> bool:
    """Whether an answer is the choice that a case means; none where no choice is."""
    meant = [each for words in means for each, said in answered.question.choices.items() if words in said]
    return label == (meant[0] if meant else NONE)


def asked(case: dict[str, Any], questioner: Questioner) -> tuple[int, list[Answered], bool]:
    """The number of tests and the questions of one rewording, and whether an error was found."""
    profile = load_profile("un152", None)
    text = (profile_folder("un152") / str(profile.text)).read_text("utf-8")
    at = text.index(case["old"], text.index(case["behind"]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reworded.md"
        path.write_text(text[:at] + case["new"] + text[at + len(case["old"]) :], "utf-8")
        program = make_program(profile, read(path, Cache(), id="un152", edition="02", title=""))
    before = len(questioner.log)
    program.reader.mender = mender = ModelMender(profile, questioner)
    suite = run(program, partial=True)
    findings = (*suite.findings, *mender.findings(program.reader))
    return len(suite.scenarios), questioner.log[before:], any(finding.severity == "error" for finding in findings)


def _slot(label: str) -> str:
    """The slot that a question is labelled with, behind its address."""
    return next((word for word in label.split(" ") if re.fullmatch(r"[a-z]+\.[a-z_]+|place|said|caption|header|rule", word)), label)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llm", help="PROVIDER:MODEL; the recorded replies without it")
    parser.add_argument("--record", type=Path, help="folder that replies are kept in")
    given = parser.parse_args()
    cases = tomllib.loads((FIXTURES / "rewordings.toml").read_text("utf-8"))["case"]
    settings = Settings(temperature=0.0, max_tokens=256)
    if given.llm:
        llm = open_llm(given.llm, record=given.record, settings=settings)
    else:
        llm = open_llm(locked=True, replies=FIXTURES / "replies" / "un152-rewordings", settings=settings)
    slots: dict[str, list[tuple[bool, float]]] = defaultdict(list)
    kept = passed = 0
    cases = [case for case in cases if not case.get("reads")]
    for case in cases:
        scenarios, log, told = asked(case, Questioner(llm))
        kept += scenarios == 184
        passed += not told and any(one.accepted not in ("", NONE) and not is_meant(one, one.accepted, case["means"]) for one in log)
        for answered in log:
            key = _slot(answered.question.label)
            slots[key].append((is_meant(answered, answered.first, case["means"]), 1 / len(answered.question.labels)))
    print(f"{llm.name}: {len(cases)} rewordings of UN R152, all 184 tests in {kept} of them, a wrong answer passed in {passed}")
    every = [each for held in slots.values() for each in held]
    for name, held in [*sorted(slots.items()), ("all", every)]:
        chance = sum(part for _, part in held) / len(held)
        print(f"{name:<28} first answer right {sum(ok for ok, _ in held):>2} of {len(held):>2}, chance {chance:4.0%}")


if __name__ == "__main__":
    main()
