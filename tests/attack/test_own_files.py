"""A user's own templates and profile with mistakes: exit code 2, the place and the value, nothing written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import INVENTED, Outcome
from tests.edits import own_regulation

#: Faults made on purpose, many of them: .ci/run has them after the others.
pytestmark = pytest.mark.slow

Cli = Callable[..., Outcome]


def refused(done: Outcome, out: Path, *says: str) -> None:
    assert done.code == 2
    assert done.out == ""
    assert "  next: " in done.err
    for words in says:
        assert words in done.err
    assert not out.exists()


@pytest.mark.parametrize(
    ("template", "says"),
    [
        (b"{% if %}", "line 1"),
        (b"{{ nosuch }}", "'nosuch' is undefined"),
        (b"{{ 1/0 }}", "ZeroDivisionError"),
        (b"{{ s | digits }}", "test_case.md.j2"),
        (b'{% include "../../secret" %}', "../../secret"),
        (b"\x91\xff", "not UTF-8"),
    ],
)
def test_a_template_with_a_mistake(template: bytes, says: str, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "own" / "text").mkdir(parents=True)
    (tmp_path / "own" / "text" / "test_case.md.j2").write_bytes(template)
    out = tmp_path / "out"
    refused(cli("build", INVENTED, "--target", "text", "--templates", tmp_path / "own", "--out", out), out, "template", says)


def test_a_template_that_nothing_asks_for_is_told(cli: Cli, tmp_path: Path) -> None:
    own = tmp_path / "own"
    for name, text in {
        "text/test_case.md": "{{ title }}",  # without .j2
        "csv/ful/any.txt.j2": "{{ title }}",
        "csv/full/any.txt.j2": '{% include "parts/head.j2" %}',  # the right one, and what it includes
        "parts/head.j2": "{{ title }}",
    }.items():
        (own / name).parent.mkdir(parents=True, exist_ok=True)
        (own / name).write_text(text, "utf-8")
    done = cli("build", INVENTED, "--target", "csv", "--templates", own, "--out", tmp_path / "out", "--json")
    told = [item["message"] for item in json.loads(done.out)["findings"] if item["code"] == "O696"]
    assert told == [
        "--templates: nothing asks for csv/ful/any.txt.j2; did you mean csv/full/any.txt.j2?",
        "--templates: nothing asks for text/test_case.md; did you mean text/test_case.md.j2?",
    ]


#: change of the invented profile -> code, words of the message, words of the next step
MISTAKES = {
    "no TOML": (('id = "shuttles"', "id = "), "P100", "profile.toml", ""),
    "a block that there is not": (("[all]", "[al]"), "P101", "no block of a profile 'al'", "did you mean 'all'?"),
    "a key that there is not": (("bind.ttc =", "bnd.ttc ="), "P101", "no key of test standing_cart 'bnd'", "did you mean 'bind'?"),
    "a binding that there is not": (("bind.ttc =", "bind.tcc ="), "P101", "no binding of in_lane 'tcc'", "did you mean 'ttc'?"),
    "a manoeuvre that there is not": (('"in_lane"', '"in_line"'), "P101", "in_line", "did you mean 'in_lane'?"),
    "an axis that there is not": (('vary = ["category", "load"]', 'vary = ["catgory"]'), "P101", "catgory", "did you mean 'category'?"),
    "a signal that there is not": (("impact_speed <=", "impct_speed <="), "", "impct_speed", "did you mean 'impact_speed'?"),
    "a condition that there is not": (("friction =", "fricton ="), "P101", "fricton", "did you mean 'friction'?"),
    "a status that there is not": (('status = "option"', 'status = "optional"'), "P101", "optional", "did you mean 'option'?"),
    "an unfinished place": (('"[at: offset]"', '"[at: offset"'), "E400", "[at: offset", ""),
    "a number without a place": (('"[at: time to collision]"', '"5"'), "E401", "5 has no place", "[clause: words]"),
    "an id that climbs": (('id = "shuttles"', 'id = "../../evil"'), "P103", "id '../../evil' cannot be part of a file name", ""),
    "a stem that climbs": (('stem = "LR7-2nd"', 'stem = "../../evil"'), "P103", "stem '../../evil' cannot be part of a file name", ""),
    "an edition that climbs": (('edition = "2nd"', 'edition = "/2nd"'), "P103", "edition '/2nd' cannot be part of a file name", ""),
    "a criterion that says nothing": (('"impact_speed <= limit[relative]"', '"contact"'), "P113", "has no place", "said ="),
    "a table that there is not": (('rows(limit)", when', 'rows(limt)", when'), "P101", "limt", "did you mean 'limit'?"),
    "a clause that there is not": (('at = "4.3"', 'at = "4.4"'), "L201", "no clause '4.4'", "near: "),
    "words that do not stand there": (('"[at: time to collision]"', '"[at: time to impact]"'), "L203", "time to impact", ""),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_profile_with_a_mistake(name: str, cli: Cli, tmp_path: Path) -> None:
    """File and line, what is wrong and the next step; nothing is written, whatever the command."""
    change, code, says, hint = MISTAKES[name]
    own = own_regulation(tmp_path / "own", change)
    out = tmp_path / "out"
    for arguments in (("build", own, "--target", "csv", "--out", out), ("check", own)):
        done = cli(*arguments)
        told = " ".join((done.out + done.err).split())
        assert done.code in (1, 2), told
        assert all(part in told for part in (code, "profile.toml", says, hint)), told
        assert "Traceback" not in told
    assert not out.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["own"]
