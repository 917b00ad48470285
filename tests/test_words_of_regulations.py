"""Nothing that one regulation says stands in generic code, data or templates: no id, number, clause, test, axis value or category.

The words are taken from the profiles that ship. What stands there for a reason is listed below with it; comments and docstrings explain
by example and are not looked at, nor is the catalogue of findings, whose entries show messages.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from regc.catalogue import codes
from regc.lang import load_profile
from regc.lang.vocabulary import vocabulary
from tests.lang.documents import REGULATIONS, ROOT

PACKAGE = ROOT / "compiler" / "regc"
FIXTURES = ROOT / "tests" / "fixtures" / "regulations"
PROFILES = sorted({*REGULATIONS.glob("*/profile.toml"), REGULATIONS / "un152" / "eu2020-1597.toml", FIXTURES / "un79" / "profile.toml"})
#: Names of regulations and their systems, clause ids of three levels (as a text of their own of two), annexes, vehicle categories, load
#: states.
GENERIC = re.compile(
    r"\b[Rr][ _]?(?:13-?H?|79|1[0-9]{2})\b|\b(?i:unr?[ _-]?\d{2,3})\b|\bUNR\d+|\bNo\. ?\d{2,3}\b|2020/1597|571\.127"
    r"|(?i:fmvss|aebs|dcas)|(?m:^(?:para(?:graph)?\.? )?\d{1,2}\.\d{1,2}\.$)|\b(?:clause|paragraph|para\.) \d+(?:\.\d+)+"
    r"|(?<![\w.])S?\d{1,2}(?:\.\d{1,2}){2,}(?![\w.])|\bS\d+\.\d+|\bAnnex \d|\bAppendix \d"
    r"|\b[MN][123]\b|\b(?:un)?laden\b|\brunning order\b|\bmaximum mass\b"
)
#: File (below the package) -> what may stand there, and why.
ALLOWED = {
    "data/road_users.toml": (r"[MN]\d\S*|(?:mass in )?running order|alpha", "each vehicle category and its masses are data"),
    "data/carla.toml": (r"[MN]\d\S*|0\.9\.\d+", "a model for each vehicle category; the version of CARLA"),
    "data/carmaker.toml": (r"[MN]\d\S*", "a data set for each vehicle category"),
    "data/wording.toml": (r"maximum mass|(?:mass in )?running order", "how reports call the vocabulary's condition `mass`"),
    "judge/validity.py": (r"maximum mass|(?:mass in )?running order", "how verdicts call the same"),
    "targets/carmaker/testrun.py": (r"(?:mass in )?running order", "the same in a TestRun's description"),
    "targets/carmaker/__init__.py": (r"M1", "a hint shows a key of data/carmaker.toml"),
    "targets/carla/bodies.py": (r"M1", "a hint shows a key of data/carla.toml"),
    "targets/carla/scenario_runner.py": (r"0\.9\.\d+", "the version of CARLA"),
    "commands/targets.py": (r"0\.9\.\d+", "names of the tools that come with regc"),
    "data/profiles/carla-0.9.16.toml": (r"0\.9\.\d+", "the version of CARLA"),
    "data/profiles/esmini-3.toml": (r"3\.6\.0", "the version of esmini"),
    "data/llm.toml": (r"127\.0\.0", "this machine's own address"),
    "__init__.py": (r"0\.\d+\.\d+", "regc's own version"),
    "embed/sentence_transformers.py": (r"2\.13\.0", "the version of a library"),
    "choices/meanings.toml": (r"(?:mass in )?running order", "what the condition `extra_mass` means"),
    "cli/usage.py": (r"un152\S*|2020/1597|\d\.\d\.\d\.\d", "lines to try name a regulation that ships"),
    "cli/flags.py": (r"un152|R152|CtoB", "help shows how a regulation and a test are named, by one that ships"),
    "retrieve/mentions.py": (r"FMVSS|fmvss", "how a question names the regulation of an issuer"),
    "retrieve/regc.py": (r"FMVSS", "the same"),
    "retrieve/field_words.toml": (r"[MN]\d|fmvss|(?:un)?laden|maximum mass|running order", "how questions call these"),
    "draft/field.toml": (r"v_design|maximum mass|(?:mass in )?running order|\w*laden|\w+ manual brake application",
                         "how texts of the field speak: what a draft guesses from, for a person to look at"),
}  # fmt: skip


def own_words() -> set[str]:
    """Ids, tokens, test names, values, declared names, categories and words of the profiles that are no word of the vocabulary."""
    known = vocabulary()
    shared = {*known.manoeuvres, *known.actors, *known.signals, *known.events, *known.conditions, *known.runs}
    shared.add("max_acceleration")  # a test of UN R79, and what OpenSCENARIO calls a vehicle's performance
    found: set[str] = set()
    for file in PROFILES:
        profile = load_profile(file)
        found |= {
            profile.id,
            profile.stem,
            *profile.declare,
            *(name for test in profile.tests for name in (test.name, test.token or "")),
            *(str(form.token) for form in profile.form),
            *(name for card in profile.card for name in (card.title, card.token or "")),
        }
        for axis in profile.axis.values():
            for name, value in axis.values.items():
                found |= {name, value.token or "", *value.words, *(category.split(" [")[0] for category in value.covers)}
    telling = re.compile(r"[a-z][A-Z]|[A-Z]\d|_|\d|\w \w{3,} \w")  # "left" or "day" is a word of many texts
    short = re.compile(r"[a-z]\d")  # "h1" is a heading too
    return {str(word) for word in found if telling.search(word) and word not in shared and not short.fullmatch(word)}


@cache
def known_codes() -> frozenset[str]:
    return frozenset(codes())


#: What has a name in code, and where its name stands.
_NAMED: dict[type[ast.AST], str] = {
    ast.Name: "id", ast.arg: "arg", ast.keyword: "arg", ast.Attribute: "attr", ast.alias: "name", ast.FunctionDef: "name",
    ast.AsyncFunctionDef: "name", ast.ClassDef: "name", ast.MatchAs: "name", ast.ExceptHandler: "name",
}  # fmt: skip


def says(file: Path) -> str:
    """What a file says to the compiler or a reader, one text a line: strings and names of code without docstrings, lines of data."""
    return spoken(file.read_text("utf-8", errors="replace"), file.suffix)


def spoken(text: str, suffix: str) -> str:
    """The same of a text of a kind of file."""
    if suffix != ".py":
        return re.sub(r"(?m)(^|\s)#\s.*", "", text) if suffix == ".toml" else text
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    bodies = [node.body for node in nodes if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)]
    documented = {id(body[0].value) for body in bodies if body and isinstance(body[0], ast.Expr)}
    found = {
        node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented
    }
    for kind, name in _NAMED.items():
        found |= {getattr(node, name) for node in nodes if isinstance(node, kind) and getattr(node, name)}
    found |= {
        node.value.decode("utf-8", "replace") for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, bytes)
    }
    return "\n".join(sorted(found - known_codes()))  # R152 is a finding of the readers too


def looked_at() -> list[Path]:
    files = [file for file in PACKAGE.rglob("*") if file.is_file() and file.suffix not in (".pyc", ".gz", ".ttf", ".png")]
    files += [file for file in (ROOT / "templates").rglob("*") if file.is_file()]
    return sorted(file for file in files if not {"regulations", "explain"} & set(file.relative_to(ROOT).parts))


@cache
def patterns() -> dict[str, re.Pattern[str]]:
    return {word: re.compile(rf"(?<![\w.]){re.escape(word)}(?!\w)") for word in sorted(own_words())}


def words_in(text: str) -> list[str]:
    """Words of regulations in what a file says, each with what stands around it."""
    matches = (*(match for word, own in patterns().items() if word in text for match in own.finditer(text)), *GENERIC.finditer(text))
    return [f"'{match[0]}' in {text[max(0, match.start() - 40) : match.end() + 30]!r}" for match in matches]


def test_no_word_of_a_regulation_stands_in_code() -> None:
    assert {"un152", "CtoStC", "over_8t", "v_set", "M3>8t"} <= own_words()
    found = []
    for file in looked_at():
        name = file.relative_to(PACKAGE).as_posix() if file.is_relative_to(PACKAGE) else file.relative_to(ROOT).as_posix()
        allowed = ALLOWED.get(name, ("$^", ""))[0]
        found += [f"{name}: {word}" for word in words_in(says(file)) if not re.fullmatch(allowed, word.split("' in ")[0][1:])]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("suffix", "planted"),
    [
        (".py", 'def limit(test):\n    return test.clause == "5.2.1.4"\n'),
        (".py", 'ROWS = {"over_8t": 1}\n'),
        (".py", "rows = table(over_8t=1)\n"),
        (".py", "from regc.made import false_reaction\n"),
        (".py", "match load:\n    case max_mass_un152:\n        pass\n".replace("max_mass_un152", "over_8t")),
        (".py", 'pattern = rf"{start}Annex 3"\n'),
        (".py", 'KEY = b"M3>8t"\n'),
        (".py", 'if regulation == "UN R131":\n    pass\n'),
        (".py", 'if regulation.lower() == "aebs":\n    pass\n'),
        (".py", 'if name == "un-152":\n    pass\n'),
        (".py", 'HINT = "see paragraph 6.4 of the text"\n'),
        (".py", 'CLAUSE = "6.10."\n'),
        (".py", 'CATEGORY = "N2"\n'),
        (".toml", 'default = "MassRun"\n'),
        (".toml", "[load.running_order]\nsaid = 'mass in running order'\n"),
        (".j2", "{% if test == 'turn_before_oncoming' %}The test with an oncoming vehicle.{% endif %}"),
        (".js", 'const first = "CtoStC";'),
        (".css", ".un152 { color: red }"),
        (".txt", "Vehicles not equipped with hydraulic braking"),
    ],
)
def test_a_word_that_is_planted_is_found(suffix: str, planted: str) -> None:
    assert words_in(spoken(planted, suffix))


@pytest.mark.parametrize(
    "sound",
    ['VERSION = "1.7"\n', "STEP = 0.01\n", 'UNIT = "km/h"\n', "def moving(target): ...\n", 'HINT = "see paragraph and table"\n'],
)
def test_what_any_code_says_is_none(sound: str) -> None:
    assert words_in(spoken(sound, ".py")) == []


def test_each_exception_is_one() -> None:
    for name, (allowed, why) in ALLOWED.items():
        assert why
        assert re.search(allowed, says(PACKAGE / name)), f"{name} has nothing of {allowed}"
