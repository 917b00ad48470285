"""A fault in the text of a regulation reaches the tests as it stands there, or is told; never a wrong number without a word."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from bench.mutation.files import TEXT_KINDS
from bench.mutation.reading import FAULTS
from bench.mutation.running import mutants_of, run

from regc.errors import DataFileError, SourceError
from regc.lang.faults import ProfileError
from regc.model.suite import Suite
from regc.pipeline.build import compile_regulation
from regc.pipeline.request import Request
from regc.resources import package_data
from regc.tomlfiles import read_toml

R152, R131, F127 = (
    package_data("regulations", *name).read_text("utf-8") for name in (("un152", "02.md"), ("un131", "02.md"), ("fmvss127", "2024.md"))
)
TEXTS = {"un152": R152, "un131": R131, "fmvss127": F127}


def suite_of(text: str, folder: Path, regulation: str = "un152") -> Suite:
    path = folder / "copy.md"
    path.write_text(text, encoding="utf-8", newline="\n")
    return compile_regulation(Request(regulation, source=path)).suite


def changed(regulation: str, behind: str, old: str, new: str) -> str:
    """The embedded text with the first `old` behind some words made `new`."""
    text = TEXTS[regulation]
    at = text.index(old, text.index(behind))
    return text[:at] + new + text[at + len(old) :]


#: Regulation, words before the place, what stands there, what is put there, the finding that tells it.
TOLD = (
    ("un152", "moving target, M1", "<tr><td>60</td><td>60</td><td>+0/-2</td></tr>\n", "", "T320"),
    ("un152", "5.2.1.4. Speed", "<tr><td>60</td><td>35.00</td><td>35.00</td></tr>\n", "", "T321"),
    ("un152", "5.2.1.4. Speed", "<tr><td>10</td><td>0.00</td><td>0.00</td></tr>\n", "", "T321"),
    (
        "un152",
        "stationary target, N1",
        "Maximum mass</th><th>Mass in running order",
        "Mass in running order</th><th>Maximum mass",
        "T314",
    ),
    ("un152", "5.2.1.4. Speed", "Maximum mass</th><th>Mass in running order", "Mass in running order</th><th>Maximum mass", "T314"),
    ("un131", "5.2.1.4. Speed", "Vehicles with hydraulic", "Vehicles of hydraulic", "T302"),
    ("un152", "moving target, M1", "<td>60</td><td>60</td>", "<td>60</td><td>-</td>", "P110"),
    ("un152", "moving target, M1", "<td>+0/-2</td>", "<td>-</td>", "T315"),
    ("un152", "5.2.1.4. Speed", "<td>42</td><td>10.00</td>", "<td>42</td><td>10.003</td>", "T312"),
    ("un152", "5.2.1.4. Speed", "<tr><td>25</td><td>0.00</td><td>0.00</td></tr>\n", "", "T313"),
    ("un152", "5.2.1.4. Speed", "<td>42</td><td>10.00</td>", "<td>42</td><td>-</td>", "T322"),
    ("un152", "5.2.1.3. Speed", "10 km/h and 60 km/h", "10 km/h and 70 km/h", "T323"),
    ("un152", "## 6.5.", "20 km/h (with", "20 km/h or 23 km/h (with", "C113"),
    ("un152", "## 6.4.", "shall drive towards", "shall not drive towards", "C114"),
    (
        "fmvss127",
        "Moving Along the Path (S8.5)",
        "<tr><td></td><td></td><td></td><td></td><td></td><td></td><td>Lower Beams</td></tr>\n",
        "",
        "T324",
    ),
    (
        "fmvss127",
        "Stopped Lead Vehicle (S7.3)</td>",
        "<tr><td></td><td>Any 70 to 100</td><td>0</td><td>-</td><td>-</td><td>Yes</td></tr>\n",
        "",
        "T324",
    ),
    (
        "fmvss127",
        "Slower-Moving Lead Vehicle (S7.4)</td>",
        "<tr><td></td><td>Any 70 to 100</td><td>20</td><td>-</td><td>-</td><td>Yes</td></tr>\n",
        "",
        "T324",
    ),
    ("un152", "5.2.1.4. Speed", "<tr><td>32</td><td>0.00</td><td>0.00</td></tr>\n", "", "T326"),
    (
        "fmvss127",
        "Decelerating Lead Vehicle (S7.5)</td>",
        "<tr><td></td><td>50</td><td>50</td><td>Any 12 to 40</td><td>Any 0.3 to 0.5</td><td>Yes</td></tr>\n",
        "",
        "T326",
    ),
    ("un152", "5.2.1.1. Collision warning", "avoid the collision", "prevent the collision", "L205"),
    ("un152", "6.2.1. Test mass", "shall be done:", "shall not be done:", "C114"),
    ("un152", "6.2.1. Test mass", "of not more than 125", "of more than 125", "E406"),
    ("fmvss127", "S9.1. Headway", "TTC_{2.1} = 2.1", "TTC_{2.1} = 3.1", "C115"),
    ("fmvss127", "S9.1. Headway", "TTC_0 = 5.0", "TTC_0 = 6.0", "C115"),
    ("fmvss127", "S7.2. Headway", "TTC_0 = 5.0", "TTC_0 = 5.5", "C115"),
    ("fmvss127", "S8.2. Headway", "providing 4.0 seconds", "providing 4.5 seconds", "C115"),
    ("un152", "If, however, the collision", "0.8 seconds", "0.9 seconds", "C115"),
    ("un152", "shall be triggered at the latest", "0.8 seconds", "1.8 seconds", "C115"),
    ("un131", "5.2.1.4. Speed", "<tr><td>10</td><td>0</td><td>0</td><td>0</td><td>0</td></tr>\n", "", "T323"),
    ("un131", "5.2.2.4. Speed", "<tr><td>50</td><td>35</td><td>39</td><td>39</td><td>39</td></tr>\n", "", "T313"),
    ("un131", "Vehicle derived from M1/N1 at 53 km/h", "(i.e. 60 km/h)", "(i.e. 40 km/h)", "X501"),
    ("un131", "6.6.1. Before", "(TTC) of at least", "(TTC) of at most", "L204"),
    ("un131", "## 6.5.", "20 + 70 + 8", "22 + 70 + 8", "C112"),
    ("un152", "[^3]:", "35", "25", "X501"),
)


@pytest.mark.parametrize(("regulation", "behind", "old", "new", "code"), TOLD)
def test_a_fault_is_told(regulation: str, behind: str, old: str, new: str, code: str, tmp_path: Path) -> None:
    suite = suite_of(changed(regulation, behind, old, new), tmp_path, regulation)
    assert code in {finding.code for finding in suite.findings if finding.severity in ("warning", "error")}


#: Words before the place, what stands there, what is put there; the test and its number, and what that is then.
REACHED = (
    ("5.2.1.4. Speed", "<td>42</td><td>10.00", "<td>42</td><td>12.50", "p6.4_CtoStC_M1_MaxMass_042", "require.impact.limit", "12.50"),
    ("## 6.4.", "at least 4 seconds", "at least 5 seconds", "p6.4_CtoStC_N1_MassRun_060", "bind.ttc", "5"),
    ("#### 5.2.2.2.", "5.0 m/s", "5.50 m/s", "p6.6.1_CtoP_M1_MaxMass_020", "require.demand.limit", "5.50"),
    ("6.7.1. Before", "at least two seconds", "at least three seconds", "p6.7.1_CtoB_M1_MaxMass_020", "bind.straight_time", "3"),
    ("6.10.1.", "20.0 per cent", "15.0 per cent", "p6.7.1_CtoB_M1_MaxMass_020", "runs.failed_share", "15.0"),
)  # fmt: skip


@pytest.mark.parametrize(("behind", "old", "new", "test", "name", "number"), REACHED)
def test_a_changed_number_reaches_its_test(behind: str, old: str, new: str, test: str, name: str, number: str, tmp_path: Path) -> None:
    suite = suite_of(changed("un152", behind, old, new), tmp_path)
    scenario = next(scenario for scenario in suite.scenarios if scenario.id == f"UNR152-02_{test}")
    value = dict(scenario.values())[name]
    assert format(value.number, "f") == number
    assert [finding for finding in suite.findings if finding.severity in ("warning", "error")] == []


@pytest.mark.parametrize(
    "regulation", ["fmvss127", *(pytest.param(other, marks=pytest.mark.slow) for other in TEXTS if other != "fmvss127")]
)
def test_a_seeded_sample_of_faults(regulation: str, tmp_path: Path) -> None:
    """One of each kind of `bench/mutate.py`; the full counts are its own."""
    mutants, before = mutants_of(regulation, (), len(TEXT_KINDS), seed=random.Random(regulation).randrange(1000))
    assert len(mutants) > 10
    outcomes = run(regulation, mutants, before)
    assert [outcome for outcome in outcomes if outcome.outcome in FAULTS] == []


def test_a_part_that_uses_itself_is_named(tmp_path: Path) -> None:
    (tmp_path / "profile.toml").write_text('id = "x"\nuse = ["a.toml"]\n', "utf-8")
    (tmp_path / "a.toml").write_text('use = ["profile.toml"]\n', "utf-8")
    with pytest.raises(ProfileError, match="uses itself"):
        compile_regulation(Request(str(tmp_path), source=tmp_path / "none.md"))


def test_a_pipe_is_no_file_of_values(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "own.toml")
    with pytest.raises(DataFileError, match="a device or a pipe is no file"):
        read_toml(tmp_path / "own.toml", hint="")


def test_a_device_is_no_source() -> None:
    with pytest.raises(SourceError, match="device or a pipe"):
        compile_regulation(Request("un152", source=Path("/dev/zero")))


@pytest.mark.parametrize("cell", ["1e999999999", "NaN", "Infinity"])
def test_a_cell_that_is_no_plain_number_is_told(cell: str, tmp_path: Path) -> None:
    suite = suite_of(changed("un152", "5.2.1.4. Speed", "<td>10.00</td>", f"<td>{cell}</td>"), tmp_path)
    assert any(finding.severity == "error" for finding in suite.findings)
