"""The front page of a build: what each folder is, commands that name its files, a picture a test."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from lxml import etree
from lxml import html as parser

from regc import commands
from regc.pipeline.build import build
from regc.pipeline.request import Request
from regc.report.front import first_stages, folders_of, front_page, picture, pictures_of
from regc.targets import openscenario
from tests import suites

ID = suites.stationary().id
PATHS = (
    f"openscenario/concrete/{ID}.json", f"openscenario/concrete/{ID}.xosc", "openscenario/roads/straight.xodr", f"text/{ID}.md",
    f"carla/configs/{ID}.json", "carla/run_carla.py", f"carla/scenario_runner/{ID}.xosc", "carmaker/mapping.toml",
    f"carmaker/Data/TestRun/regc/{ID}", "report/report.html", "scenarios.json",
)  # fmt: skip


def test_folders_that_are_there_and_their_commands() -> None:
    found = {folder.path: folder for folder in folders_of(PATHS)}
    assert list(found) == ["text", "openscenario", "carla", "carla/scenario_runner", "carmaker", "report"]
    assert found["openscenario"].files == 3
    assert found["openscenario"].start == (f"esmini --osc openscenario/concrete/{ID}.xosc --window 60 60 1200 600",)
    assert found["openscenario"].back[-1] == f"regc judge {ID}__r1.csv --scenarios scenarios.json"
    assert found["carla"].start[0].startswith("python carla/run_carla.py carla/configs ")
    assert found["carla/scenario_runner"].start == (f"python scenario_runner.py --openscenario carla/scenario_runner/{ID}.xosc",)
    assert "--mapping carmaker/mapping.toml" in found["carmaker"].back[0]


def test_a_folder_in_which_nothing_can_be_driven_says_so_and_has_no_command() -> None:
    (folder,) = folders_of((f"carmaker/not_driven/{ID}.txt",))
    assert (folder.start, folder.note, folder.back) == ((), "", ())
    assert folder.what == "No test of this build can be driven there: not_driven says of each why."


def test_every_file_that_a_command_names_is_in_the_build() -> None:
    for folder in folders_of(PATHS):
        for command in (*folder.start, *folder.back):
            named = re.findall(r"(?:openscenario|carla|carmaker|text|report)/\S*\.\w+", command)
            assert [path for path in named if path not in PATHS] == [], command


def test_commands_and_flags_of_regc_exist() -> None:
    source = (Path(commands.__file__).parent / "judge.py").read_text("utf-8")
    for folder in folders_of(PATHS):
        for command in folder.back:
            if command.startswith("regc judge"):
                for flag in re.findall(r"--([\w-]+)", command):
                    assert re.search(rf"\b{flag.replace('-', '_')}: Annotated", source), flag


def test_page_readme_and_a_picture_a_test() -> None:
    made = suites.suite()
    found = front_page(made, PATHS, pictures_of(made, suites.staged(made)))
    assert set(found) == {"index.html", "README.md", "pictures/stationary.svg", "pictures/child.svg"}
    page, readme = found["index.html"].decode(), found["README.md"].decode()
    tree = parser.fromstring(page)
    assert tree.xpath("//img/@src") == ["pictures/stationary.svg", "pictures/child.svg"]
    assert "7 sentences that prescribe (2 tested, 1 by card, 1 told in a test, 1 external, 1 waived, 1 open)" in tree.text_content()
    assert "Embedded wording." in tree.text_content()
    assert f"$ esmini --osc openscenario/concrete/{ID}.xosc --window 60 60 1200 600" in readme
    assert "- Standing car (paragraph 6.4): 4 (2 mandatory, 2 option), drawn in `pictures/stationary.svg`" in readme
    assert "&" not in readme


def test_a_part_build_says_so_and_shows_its_tests_only() -> None:
    made = suites.suite()
    part = made.model_copy(update={"chosen": (suites.child().id,)})
    found = front_page(part, PATHS, pictures_of(part, suites.staged(made)))
    assert set(found) == {"index.html", "README.md", "pictures/child.svg"}
    assert "1 of the 5 tests that the document prescribes" in " ".join(found["index.html"].decode().split())
    assert "1 tests of 5 that the document prescribes" in found["README.md"].decode()


def test_hostile_title_is_text() -> None:
    made = suites.suite(suites.stationary(title=suites.HOSTILE), title=suites.HOSTILE)
    found = front_page(made, PATHS, pictures_of(made, suites.staged(made)))
    assert "<img src=x" not in found["index.html"].decode()
    assert etree.fromstring(found["pictures/stationary.svg"]).findtext("{*}title", "").startswith(suites.HOSTILE)


def test_picture_is_drawn_from_a_prescribed_test_to_scale() -> None:
    """20 km/h, TTC 4 s: the subject's front is 22.2 m before the car when the functional part begins; 31.2 m from end to end."""
    made = suites.suite()
    stages = first_stages(made, suites.staged(made))
    assert stages["stationary"].scenario == f"{suites.STEM}_p6.4_ST_max_020"
    tree = etree.fromstring(picture(stages["stationary"]))
    assert [node.text for node in tree.iter("{*}text")] == ["37 m"]
    boxes = {
        node[0].text: [tuple(map(float, point.split(","))) for point in node.get("points", "").split()]
        for node in tree.iter("{*}polygon")
        if len(node)
    }
    front = max(x for x, _ in boxes["Subject vehicle"])
    rear = min(x for x, _ in boxes["Target"])
    assert round((rear - front) / 900 * 37.2, 1) == 22.2
    assert picture(stages["stationary"]) == picture(stages["stationary"])


def test_the_example_of_a_folder_is_of_a_prescribed_test() -> None:
    paths = [f"openscenario/concrete/{name}.xosc" for name in ("a_guidance", "b_prescribed")]
    (folder,) = folders_of(paths, frozenset({"b_prescribed"}))
    assert folder.start[0].startswith("esmini --osc openscenario/concrete/b_prescribed.xosc")
    (folder,) = folders_of(paths)
    assert "a_guidance" in folder.start[0]


@pytest.mark.skipif(shutil.which("esmini") is None, reason="esmini is not on PATH")
def test_commands_of_the_folder_run_where_the_tool_is(tmp_path: Path) -> None:
    """What README.md of a build tells to type for esmini and for the verdict ends without an error."""
    made = build(Request("un152", tests=("stationary",), sweep="mandatory", targets={"openscenario": openscenario.Options()}), tmp_path)
    commands = re.findall(r"^\$ (esmini .*--headless.*)$", (made.folder / "README.md").read_text("utf-8"), re.MULTILINE)
    assert commands
    for command in commands:
        done = subprocess.run(shlex.split(command), cwd=made.folder, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stdout[-500:]
    log = next(made.folder.glob("*__r1.csv"))
    judged = judge_file(log, made.folder)
    assert judged.returncode == 1, judged.stderr  # nobody brakes in these files, so the test is failed, and said to be
    assert "fail" in judged.stdout


def judge_file(log: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    run = "import sys; from regc.cli.main import main; main(sys.argv[1:])"
    return subprocess.run(
        [sys.executable, "-c", run, "judge", log.name, "--scenarios", "scenarios.json"],
        cwd=folder, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
