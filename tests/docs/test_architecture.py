"""docs/architecture.md names the rooms that there are, and who may import whom as tests/test_imports.py holds it."""

from __future__ import annotations

import re

from tests import test_imports
from tests.docs.shown import ROOT
from tests.test_imports import PIPELINE, SHARED, SOURCE, STANDS_ON

TEXT = (ROOT / "docs" / "architecture.md").read_text("utf-8")


def rows(head: str) -> list[list[str]]:
    """The cells of the table that begins with a head."""
    body = TEXT[TEXT.index(head) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in body]


def code(cell: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", cell))


def used() -> set[str]:
    """Folders with modules that something else imports, or that a name chooses."""
    found = {"commands", "regulations"}
    for path in SOURCE.rglob("*.py"):
        own = path.relative_to(SOURCE).parts[0]
        found |= {parts[0] for parts in test_imports.imports(path) if parts and parts[0] != own and (SOURCE / parts[0]).is_dir()}
    chosen = re.findall(r'Kind\("(\w+)"', (SOURCE / "plugins.py").read_text("utf-8"))
    return found | {name for name in chosen if (SOURCE / name).is_dir()}


def test_every_room_has_a_line() -> None:
    assert {row[0] for row in rows("| room | what it does |")} == used()


def test_every_type_stands_where_the_page_says() -> None:
    for name, file, _ in rows("| type | file | what it is |"):
        assert re.search(rf"^class {name.strip('`')}\b", (SOURCE / file).read_text("utf-8"), re.MULTILINE), name


def test_who_may_import_whom() -> None:
    allowed = {row[0]: row[1] for row in rows("| room | may import |")}
    assert any(code(names) | {"model"} == SHARED for names in allowed)
    assert any(code(names) == PIPELINE - {"__init__"} for names in allowed)
    stands_on = {next(iter(code(room))): code(rooms) for room, rooms in allowed.items() if rooms.startswith("these, ") and code(rooms)}
    assert stands_on == STANDS_ON


def test_every_file_that_the_page_names_is_there() -> None:
    named = re.findall(r"`((?:tests|compiler|golden|manoeuvres|targets|readers|engines|data|lang|explain)/[\w./]*)`", TEXT)
    places = (ROOT, SOURCE, SOURCE / "lang")
    assert len(named) > 10
    files = [name for name in named if "NAME" not in name]
    assert [name for name in files if not any((place / f"{name}{end}").exists() for place in places for end in ("", ".py"))] == []
