"""Every odd CSV is a clear error or a finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from regc.errors import DataFileError
from regc.research.scored_texts import TextScore, TextTable, family_of, read_texts, with_families

HEADER = "Unique_ID,Test_title,test_scenario\n"


def file(folder: Path, content: str | bytes) -> Path:
    path = folder / "texts.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(folder: Path, content: str | bytes, *, truth: bool = False) -> TextTable:
    return read_texts(file(folder, content), truth=truth)


def test_quoted_commas_line_breaks_and_further_columns(tmp_path: Path) -> None:
    table = read(tmp_path, 'note,Unique_ID,TEST_TITLE,test_scenario\nx,a,"A, b","one\ntwo, ""three"""\n\n')
    assert table.rows == (TextScore(id="a", title="A, b", text='one\ntwo, "three"'),)
    assert table.findings == ()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_with_and_without_a_mark(tmp_path: Path, encoding: str) -> None:
    table = read(tmp_path, (HEADER + "a,t,0–45 °C\n").encode(encoding))
    assert table.rows[0].text == "0–45 °C"
    assert table.findings == ()


def test_windows_1252_lines_are_read_and_reported_once(tmp_path: Path) -> None:
    table = read(
        tmp_path, HEADER.encode() + "a,t,5 °C\n".encode() + "b,t,6 °C – cold\n".encode("cp1252") + "c,t,7 °C\n".encode("cp1252")
    )
    assert [row.text for row in table.rows] == ["5 °C", "6 °C – cold", "7 °C"]
    assert [(found.code, found.place) for found in table.findings] == [("R191", "texts.csv, line 3")]


def test_semicolons_of_a_european_spreadsheet(tmp_path: Path) -> None:
    assert read(tmp_path, "Unique_ID;Test_title;test_scenario\na;t;0,2 m\n").rows[0].text == "0,2 m"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("id,text\na,b\n", "no column Unique_ID, Test_title, test_scenario; found id, text"),
        (HEADER + "a,t\n", "line 2: 2 values for 3 columns"),
        (HEADER + 'a,t,"open\n', "line 2"),
        (HEADER.encode() + b"a,t,\0\n", "line 2: a NUL byte"),
        (HEADER + "a,t," + "x" * 1_000_001 + "\n", "field larger than field limit"),
    ],
)
def test_what_cannot_be_scored_says_where_and_why(tmp_path: Path, content: str | bytes, message: str) -> None:
    with pytest.raises(DataFileError, match=message) as caught:
        read(tmp_path, content)
    assert "texts.csv" in str(caught.value)
    assert caught.value.hint


def test_truth_needs_rows_and_ids_of_their_own(tmp_path: Path) -> None:
    assert read(tmp_path, HEADER).rows == ()
    with pytest.raises(DataFileError, match="no rows"):
        read(tmp_path, HEADER, truth=True)
    with pytest.raises(DataFileError, match="'a' stands more than once"):
        read(tmp_path, HEADER + "a,t,x\na,t,y\n", truth=True)


def test_a_doubled_id_and_an_empty_text_of_a_build_are_findings(tmp_path: Path) -> None:
    table = read(tmp_path, HEADER + "a,t,x\na,t,x\nb,t, \n")
    assert len(table.rows) == 3
    assert sorted(found.code for found in table.findings) == ["R192", "R193"]


def test_a_hundred_thousand_rows_stop_at_the_limit(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="more than 20000 rows"):
        read(tmp_path, HEADER + "".join(f"{number},t,x\n" for number in range(100_000)))


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match=r"absent\.csv: No such file"):
        read_texts(tmp_path / "absent.csv")


def test_families_are_read_from_the_ids() -> None:
    tokens = ("CtoP", "CtoPX", "FR")
    assert family_of("Test_CtoPX_M1_020", tokens) == "CtoPX"
    assert family_of("UNR152-02_p6.6_CtoP_M1_MaxMass_040", tokens) == "CtoP"
    assert family_of("FRAME_1", tokens) == "all"
    table = TextTable(name="t", rows=(TextScore(id="a_FR_b", title="", text=""), TextScore(id="7", title="", text="")))
    assert [row.family for row in with_families(table, tokens).rows] == ["FR", "all"]
