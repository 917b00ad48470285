"""What goes wrong in a profile: each fault of cases/faults.toml is named with its code, its words and its line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from regc.lang import ProfileError, lint, load_profile
from regc.model.document import Document
from regc.model.result import Finding
from regc.readers import markdown

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CASES = Path(__file__).parent / "cases"
PROFILE = (CASES / "shuttle" / "profile.toml").read_text("utf-8")
RULES = (CASES / "shuttle" / "rules.md").read_text("utf-8")
FAULTS: list[dict[str, Any]] = tomllib.loads((CASES / "faults.toml").read_text("utf-8"))["fault"]


def rules(text: str) -> Document:
    return markdown.read(Path("rules.md"), text.encode(), regulation="shuttle", edition="1", title="", wording="embedded")


def findings(folder: Path, profile: str, text: str, declared: dict[str, str] | None = None) -> tuple[Finding, ...]:
    file = folder / "profile.toml"
    file.write_text(profile, "utf-8")
    try:
        loaded = load_profile(file)
    except ProfileError as error:
        return (error.finding(),)
    return lint(loaded, rules(text), declared)


def replaced(text: str, old: str, new: str) -> str:
    """A text with `old` replaced; "\\n" in a case is a line break."""
    old, new = (part.replace("\\n", "\n") for part in (old, new))
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
    return text.replace(old, new)


def test_the_profile_itself_is_without_fault(tmp_path: Path) -> None:
    assert [finding.message for finding in findings(tmp_path, PROFILE, RULES)] == []


@pytest.mark.parametrize("fault", FAULTS, ids=[f"{fault['code']} {fault['says'][:40]}" for fault in FAULTS])
def test_a_fault_is_named(fault: dict[str, Any], tmp_path: Path) -> None:
    profile, text = PROFILE, RULES
    if fault.get("in") == "rules":
        text = replaced(text, fault["old"], fault["new"])
    else:
        profile = replaced(profile, fault["old"], fault["new"])
    if "also" in fault:
        profile = replaced(profile, *fault["also"])
    every = findings(tmp_path, profile, text, fault.get("declare"))
    found = [finding for finding in every if finding.code == fault["code"]]
    assert found, [f"{finding.code} {finding.message}" for finding in every]
    named = next((finding for finding in found if fault["says"] in f"{finding.message} {finding.hint}"), None)
    assert named is not None, [f"{finding.message} {finding.hint}" for finding in found]
    assert named.severity == fault.get("severity", "error")
    line = fault.get("line") or ("" if fault.get("in") == "rules" or fault["code"].startswith("C") else fault["new"].split("\\n")[0])
    if line:
        places = [f"profile.toml:{number}" for number, held in enumerate(profile.splitlines(), 1) if line in held]
        assert (named.place or "").split(" ")[0] in places


#: Codes that other tests hold: no truth beside the profile (tests/commands), whole tables and sentences (tests/test_mutations.py), a
#: speed outside its range (tests/test_bad_input.py), what is declared (test_declared_and_vocabulary.py), phases in a row
#: (test_dependent_axes_and_phases.py).
ELSEWHERE = {"C111", "C112", "C117", "C118", "E414", "P120", "T320", "T321", "T322", "T323", "T324", "T325", "T326"}


def test_every_code_has_a_fault() -> None:
    from regc.catalogue import codes

    own = {
        code
        for code in codes()
        if code[0] in "PLTEXC" and code[1] in {"P": "1", "L": "2", "T": "3", "E": "4", "X": "5", "C": "1"}[code[0]]
    }
    assert own - {fault["code"] for fault in FAULTS} == ELSEWHERE
