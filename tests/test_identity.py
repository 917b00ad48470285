"""A document is the regulation that its title page or running head says, whatever its text mentions."""

from __future__ import annotations

from pathlib import Path

import pytest

from regc.cache import Cache
from regc.cli.flags import open_document
from regc.errors import SourceError
from regc.link.identity import check_identity, numbers_named, opening
from regc.pipeline.profiles import regulation_names
from tests.conftest import SHARED

WORDS = ("Emergency Braking", "M1 and N1")


def identify(title: tuple[str, ...] = (), heads: tuple[str, ...] = (), words: str = "") -> None:
    check_identity(
        "a.pdf", title, heads, words or "\n".join(title), number="152", title_words=WORDS, called="UN Regulation No. 152", hint="look"
    )


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("UN Regulation No. 152", "152"),
        ("Addendum 151 – UN Regulation No. 152", "152"),
        ("REGULATION NO. 89", "89"),
        ("Regulation No 24 of the Economic Commission for Europe", "24"),
        ("UN R.079 - Supplement 5 to the 04 series", "79"),
        ("ECE R. 130 – Supplement 1 to the original version", "130"),
        ("E/ECE/TRANS/505/Rev.3/Add.151/Rev.2", "152"),
        ("UN Regulation No. 13-H", "13-H"),
        ("Commission Implementing Regulation (EU) 2021/646 of 19 April 2021", "2021/646"),
        ("Standard No. 127; Automatic emergency braking systems for light vehicles.", "127"),
        ("§ 571.127", "571.127"),
        ("passenger cars (see UN Regulation No. 152) and bicycles", None),
        ("Revision 2", None),
        ("02 series of amendments – Date of entry into force: 30 September 2021", None),
    ],
)
def test_how_a_regulation_calls_itself(line: str, number: str | None) -> None:
    assert list(numbers_named([line])) == ([number] if number else [])


def test_the_number_of_a_title_page_or_of_a_running_head_is_enough() -> None:
    identify(title=("Addendum 151 – UN Regulation No. 152",))
    identify(heads=("UN R.152 - 02 series",))


def test_the_nearest_relative_is_refused_with_what_it_says() -> None:
    mentions = "Emergency Braking of M1 and N1: see UN Regulation No. 152"
    with pytest.raises(SourceError, match=r"not UN Regulation No. 152: its running head says 'UN R.131 - Supplement 1'"):
        identify(heads=("UN R.131 - Supplement 1",), words=mentions)
    with pytest.raises(SourceError, match=r"not UN Regulation No. 152: its title page says 'UN Regulation No. 131'"):
        identify(title=("UN Regulation No. 131", "Heavy vehicles"), words=mentions)


def test_without_a_number_the_words_of_the_title_decide() -> None:
    identify(words="An Emergency  Braking system for M₁ and N₁ vehicles")
    with pytest.raises(SourceError, match="'M1 and N1' not found there"):
        identify(words="Emergency braking of heavy vehicles; for others see UN Regulation No. 152")


FILES = [
    *("un152-r2/un152-r2.pdf", "un152-r2/un152-r2.mineru.md", "un152-r2/un152-r2.mineru4-flash.md", "un152-r2/un152-r2_middle.json"),
    "un131/un131.pdf",
    *(f"distractors/un{name}.pdf" for name in ("130", "155", "156", "171", "24-oj2006", "79", "89", "90")),
]


@pytest.mark.parametrize("name", FILES)
def test_every_official_file_is_told_apart(name: str) -> None:
    path = SHARED / "regulations" / name
    if not path.is_file():
        pytest.skip(f"needs ../shared/regulations/{name}, an official document")
    document = open_document(str(path), None, None, Cache())
    title, _ = opening(document)
    number = Path(name).stem.split(".")[0].split("-")[0].split("_")[0].removeprefix("un")
    assert number in {**numbers_named(title), **numbers_named(document.heads)}


def test_a_file_that_only_mentions_the_regulation_is_not_built(tmp_path: Path) -> None:
    source = tmp_path / "other.md"
    source.write_text(
        "# UN Regulation No. 131: braking of heavy vehicles\n\n1. Scope\n\n"
        "1.1. Cars of M1 and N1 with an Advanced Emergency Braking System have UN Regulation No. 152, 02 series of amendments.\n",
        "utf-8",
    )
    with pytest.raises(
        SourceError, match=r"other\.md: this is not UN Regulation No\. 152.*its title page says 'UN Regulation No\. 131"
    ):
        open_document("un152", source, None, Cache())


OWN = {"un152-r2": "un152", "un131": "un131", "un130": "un130", "un171": "un171", "fmvss127": "fmvss127"}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*FILES, "fmvss127/fmvss127.xml"])
def test_a_document_is_taken_by_its_own_profile_alone(name: str) -> None:
    path = SHARED / "regulations" / name
    if not path.is_file():
        pytest.skip(f"needs ../shared/regulations/{name}, an official document")
    takes = []
    for regulation in regulation_names():
        try:
            open_document(regulation, path, None, Cache())
        except SourceError:
            continue
        takes.append(regulation)
    own = OWN.get(path.name.split(".")[0].removesuffix("_middle"))
    assert takes == ([own] if own else [])
