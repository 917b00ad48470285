"""Nothing that one regulation says stands in generic code, data or templates: no id, number, clause, test, axis value or category.

The words are taken from the profiles that ship. What stands there for a reason is listed below with it; comments and docstrings explain
by example and are not looked at, nor is the catalogue of findings, whose entries show messages.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from regc.catalogue import codes
from regc.lang import load_profile
from regc.lang.vocabulary import vocabulary
from tests.lang.documents import REGULATIONS, ROOT

PACKAGE = ROOT / "compiler" / "regc"
PROFILES = sorted({*REGULATIONS.glob("*/profile.toml"), REGULATIONS / "un152" / "eu2020-1597.toml"})
#: Names of regulations and their systems, clause ids of three levels, annexes, vehicle categories, load states.
GENERIC = re.compile(
    r"\bR ?(?:13-?H?|79|1[0-9]{2})\b|\bUNR\d+|\bun\d{2,3}\b|\bNo\. ?\d{2,3}\b|2020/1597|FMVSS|fmvss|AEBS|DCAS|571\.127"
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
    found: set[str] = set()
    for file in PROFILES:
        profile = load_profile(file)
        found |= {
            profile.id,
            profile.stem,
            *profile.declare,
            *(name for test in profile.tests for name in (test.name, test.token or "")),
        }
        for axis in profile.axis.values():
            for name, value in axis.values.items():
                found |= {name, value.token or "", *value.words, *(category.split(" [")[0] for category in value.covers)}
    telling = re.compile(r"[a-z][A-Z]|[A-Z]\d|_|\d|\w \w{3,} \w")  # "left" or "day" is a word of many texts
    return {str(word) for word in found if telling.search(word) and word not in shared}


@cache
def known_codes() -> frozenset[str]:
    return frozenset(codes())


def says(file: Path) -> str:
    """What a file says to the compiler or a reader, one text a line: strings and names of code without docstrings, lines of data."""
    text = file.read_text("utf-8")
    if file.suffix != ".py":
        return re.sub(r"(?m)(^|\s)#\s.*", "", text) if file.suffix == ".toml" else text
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    bodies = [node.body for node in nodes if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)]
    documented = {id(body[0].value) for body in bodies if body and isinstance(body[0], ast.Expr)}
    found = {
        node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented
    }
    for kind, name in ((ast.Name, "id"), (ast.arg, "arg"), (ast.Attribute, "attr"), (ast.FunctionDef, "name"), (ast.ClassDef, "name")):
        found |= {getattr(node, name) for node in nodes if isinstance(node, kind)}
    return "\n".join(sorted(found - known_codes()))  # R152 is a finding of the readers too


def looked_at() -> list[Path]:
    files = [file for kind in ("py", "toml", "j2", "json", "js", "css", "md") for file in PACKAGE.rglob(f"*.{kind}")]
    files += [file for file in (ROOT / "templates").rglob("*") if file.is_file()]
    return sorted(file for file in files if not {"regulations", "explain"} & set(file.relative_to(ROOT).parts))


def test_no_word_of_a_regulation_stands_in_code() -> None:
    words = own_words()
    assert {"un152", "CtoStC", "over_8t", "v_set", "M3>8t"} <= words
    own = {word: re.compile(rf"(?<![\w.]){re.escape(word)}(?!\w)") for word in sorted(words)}
    found = []
    for file in looked_at():
        name = file.relative_to(PACKAGE).as_posix() if file.is_relative_to(PACKAGE) else file.relative_to(ROOT).as_posix()
        allowed, text = ALLOWED.get(name, ("$^", ""))[0], says(file)
        for match in (*(match for word in own if word in text for match in own[word].finditer(text)), *GENERIC.finditer(text)):
            if not re.fullmatch(allowed, match[0]):
                found.append(f"{name}: '{match[0]}' in {text[max(0, match.start() - 40) : match.end() + 30]!r}")
    assert not found, "\n".join(found)


def test_each_exception_is_one() -> None:
    for name, (allowed, why) in ALLOWED.items():
        assert why
        assert re.search(allowed, says(PACKAGE / name)), f"{name} has nothing of {allowed}"
