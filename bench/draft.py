"""What share of the hand-made truth a draft gives with no edit, for the embedded text and, where it lies beside, the official one.

    python bench/draft.py [--documents FOLDER] [--only un131] [--llm PROVIDER:MODEL [--record DIR]] [--json]

A row of the truth is given when a drafted test of the same clause has the same speeds, limit, tolerances, status and axis values;
`all` asks every cell of the row. Ids and the names of axes are the author's, so axis values are matched by the words that name them.
`edits` are the keys of a profile to write or change until every row is whole: a cell counts once a test, a spare test once. `spare`
are drafted tests that no row of the truth asks for, `cells` is the share of equal cells of the given rows, `wrong` counts their
cells in which the draft says something else than the truth (the others it leaves open). The words of field.toml were written with the
first five texts at hand, so their figures are not those of a text never seen; UN R79 is one.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from regc.cache import Cache
from regc.choices.question import Questioner
from regc.draft import draft
from regc.lang.places import flat
from regc.lang.profile import Profile
from regc.llm import Settings, open_llm
from regc.model.scenario import Scenario
from regc.pipeline.documents import read
from regc.pipeline.profiles import load_profile, profile_folder
from regc.resources import resource
from regc.truth import TruthRow, as_told, cells, follows, read_truth, same, truth_file

#: Replies of Qwen2.5-Coder-1.5B.
REPLIES = Path(__file__).resolve().parents[1] / "tests" / "fixtures" / "replies"
#: Regulation, edition and where the official text lies below --documents.
CASES = (
    ("un131", "02", "un131/un131.pdf"),
    ("fmvss127", "2024", "fmvss127/fmvss127.xml"),
    ("un130", "00", "distractors/un130.pdf"),
    ("un152", "02", "un152-r2/un152-r2.pdf"),
    ("un171", "00", "distractors/un171.pdf"),
    ("un79", "04", "distractors/un79.pdf"),
)
#: The profile of a text that regc does not bring, and that nothing of the draft was written with.
_FOREIGN = {"un79": Path(__file__).resolve().parents[1] / "tests" / "fixtures" / "regulations" / "un79"}
#: Kinds of road users by the more general word, which is less and nothing else.
_KINDS = {"adult": "pedestrian", "child": "pedestrian"}
#: What makes a test the one that is meant: the first half of its cells.
_CORE = ("bind.subject", "bind.target", "bind.relative", "tol.", "require.impact", "status", "axis.")


@dataclass(frozen=True)
class Share:
    """What a draft gives of a truth."""

    regulation: str
    text: str
    by: str
    rows: int
    given: int
    whole: int
    cells: float
    wrong: int
    drafted: int
    spare: int
    edits: int
    asked: int
    seconds: float


def measure(id: str, edition: str, path: Path, text: str, questioner: Questioner | None = None) -> Share:
    """Draft one document, by rules or with a model, and hold it against the truth of its edition."""
    profile = _profile(id)
    document = read(path, Cache(), id=id, edition=edition, title="")
    start = time.perf_counter()
    drafted = draft(document, id, questioner)
    seconds = time.perf_counter() - start
    truth_path = truth_file(resource("golden", id, edition, "truth"))
    assert truth_path is not None
    scenarios = drafted.suite.scenarios if drafted.suite else ()
    rows = read_truth(truth_path)
    pairs = [
        (row, scenario, every)
        for row in rows
        for scenario in scenarios
        if _meant(row, scenario, profile)
        for core, every in (_held(row, scenario, profile),)
        if core
    ]
    # the closest first: a test is not taken for a row that it contradicts while another one is its own
    pairs.sort(key=lambda pair: (_contradicted(*pair), -sum(pair[2].values())))
    given: dict[str, dict[str, bool]] = {}
    used: set[str] = set()
    wrong = 0
    for row, scenario, every in pairs:
        if row.id not in given and scenario.id not in used:
            given[row.id] = every
            used.add(scenario.id)
            wrong += _contradicted(row, scenario, every)
    compared = sum(map(len, given.values()))
    equal = sum(sum(every.values()) for every in given.values())
    whole = sum(all(every.values()) for every in given.values())
    spare = [scenario for scenario in scenarios if scenario.id not in used]
    edits = {
        (row.cells.get("test"), column)
        for row in rows
        for column, cell in row.cells.items()
        if cell and column not in ("test", "token") and (row.id not in given or not given[row.id].get(column, True))
    } | {(scenario.test, "spare") for scenario in spare}
    return Share(
        regulation=id,
        text=text,
        by=questioner.name if questioner else "rules",
        rows=len(rows),
        given=len(given),
        whole=whole,
        cells=equal / compared if compared else 0.0,
        wrong=wrong,
        drafted=len(scenarios),
        spare=len(spare),
        edits=len(edits),
        asked=len(questioner.log) if questioner else 0,
        seconds=seconds,
    )


def _asking(llm: str, record: Path | None) -> Questioner:
    return Questioner(open_llm(llm, record=record, settings=Settings(temperature=0.0, max_tokens=256)))


def _contradicted(row: TruthRow, scenario: Scenario, every: dict[str, bool]) -> int:
    """Cells in which a drafted test says something else than the truth; what it leaves open does not count."""
    own = cells(scenario)
    return sum(not ok and bool(own.get(column)) and _KINDS.get(row.cells[column]) != own[column] for column, ok in every.items())


def recorded(id: str) -> Questioner | None:
    """The 1.5B model's recorded replies for a draft of the embedded text, where there are some."""
    folder = REPLIES / f"{id}-draft"
    if not folder.is_dir():
        return None
    return Questioner(open_llm(locked=True, replies=folder, settings=Settings(temperature=0.0, max_tokens=256), environment={}))


def _profile(id: str) -> Profile:
    return load_profile(str(_FOREIGN.get(id, id)), None)


def _meant(row: TruthRow, scenario: Scenario, profile: Profile) -> bool:
    """Whether a drafted test is of the clause of a row, and its axis values are named by the same words."""
    names = {row.cells.get("test"), row.cells.get("token")}
    test = next((test for test in profile.tests if {str(test.name), str(test.token)} & names), None)
    if test is None or not _same_clause(_clause(str(test.at), profile), scenario.clause):
        return False
    for column, value in row.cells.items():
        axis = column.removeprefix("axis.")
        if not column.startswith("axis.") or not value or axis not in profile.axis or value not in profile.axis[axis].values:
            continue
        words = [flat(text) for text in profile.axis[axis].values[value].words]
        own = [flat(each.words) for each in scenario.axes.values()]
        if not any(word in text or text in word for word in words for text in own):
            return False
    return True


def _clause(at: str, profile: Profile) -> str:
    """The clause of a test of the shipped profile, its named places resolved."""
    for name, address in profile.place.items():
        if at == name or at.startswith((f"{name}.", f"{name}(")):
            return str(address) + at[len(name) :]
    return at


def _same_clause(first: str, second: str) -> bool:
    return first == second or first.startswith(f"{second}.") or second.startswith(f"{first}.")


def _held(row: TruthRow, scenario: Scenario, profile: Profile) -> tuple[bool, dict[str, bool]]:
    """Whether the speeds, limit, tolerances and status of a row are those of a test; and each cell of the row."""
    own = _by_place(scenario, profile)
    found: dict[str, bool] = {}
    for column, expected in row.cells.items():
        if column in ("test", "token") or column.startswith("axis.") or (not expected and follows(scenario, column)):
            continue
        found[column] = same(expected, as_told(scenario, column, expected, own), scenario)
    return all(ok for column, ok in found.items() if _is_core(column)), found


def _is_core(column: str) -> bool:
    return any(column == name or (name.endswith(".") and column.startswith(name)) for name in _CORE)


def _by_place(scenario: Scenario, profile: Profile) -> dict[str, str]:
    """The cells of a drafted test, declared quantities by the names of the shipped profile: two are the same at one place."""
    own = dict(cells(scenario))
    for _, value in scenario.values():
        if not value.symbol.isidentifier() or not value.sources:
            continue
        row = flat(value.sources[0].row or "")
        at = f"{value.sources[0].clause}{value.sources[0].item or ''}"
        for name, place in profile.declare.items():
            address, _, words = str(place).partition("[")[2].rstrip("]").partition(":")
            held = flat(words.partition("&")[0])
            if (held and held in row) if row else address.strip() == at:
                own = {column: re.sub(rf"\b{re.escape(value.symbol)}\b", str(name), cell) for column, cell in own.items()}
    return own


def accepted(path: Path, profile: str) -> bool:
    """Whether `regc check` takes the drafted folder without an error."""
    from typer.testing import CliRunner

    from regc.cli.main import app

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "profile.toml").write_text(profile, "utf-8")
        return CliRunner().invoke(app, ["check", folder, "--source", str(path)]).exit_code == 0


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=Path, default=Path("../shared/regulations"), help="folder of official documents")
    parser.add_argument("--only", help="one regulation")
    parser.add_argument("--llm", help="PROVIDER:MODEL that is asked what the rules leave open; the recorded replies without it")
    parser.add_argument("--record", type=Path, help="folder that its replies are kept in")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    found: list[Share] = []
    for id, edition, official in CASES:
        if asked.only and id != asked.only:
            continue
        text = _profile(id).text
        if text:
            path = profile_folder(id) / str(text)
            found.append(measure(id, edition, path, "embedded"))
            if given := asked.llm or recorded(id):
                questioner = given if isinstance(given, Questioner) else _asking(given, asked.record)
                found.append(measure(id, edition, path, "embedded", questioner))
        if (asked.documents / official).is_file():
            found.append(measure(id, edition, asked.documents / official, "official"))
        else:
            print(f"{id}: no {asked.documents / official}", file=sys.stderr)
    if asked.json:
        print(json.dumps([asdict(share) for share in found], indent=2, sort_keys=True))
        return
    for share in found:
        part = share.given / share.rows
        whole = f"{share.whole:>3} in every cell, {share.cells:4.0%} of their cells, {share.wrong} wrong"
        print(
            f"{share.regulation:<9} {share.text:<9} {share.by.rpartition(':')[2]:<18} {share.given:>3} of {share.rows:>3} rows "
            f"({part:4.0%}), {whole}; drafted {share.drafted:>3}, spare {share.spare:>3}; {share.edits:>3} edits; "
            f"asked {share.asked:>2}; {share.seconds:.1f} s"
        )


if __name__ == "__main__":
    main()
