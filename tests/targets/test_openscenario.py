"""The OpenSCENARIO target's files: valid in each version, traced number by number, the same in both forms, for every kind of test."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from decimal import Decimal
from pathlib import Path

import pytest
import scenariogeneration
from lxml import etree

from regc.manoeuvres import data
from regc.manoeuvres import stage as lay_out
from regc.manoeuvres.plan import Options
from regc.model import formula
from regc.model.result import Artifact
from regc.model.stage import Staged
from regc.model.value import Value
from regc.targets import openscenario
from regc.targets.openscenario.logical import OpenParameter, declarations, variation
from regc.targets.openscenario.scenario_files import Sidecar
from regc.targets.openscenario.storyboard import Header
from tests.manoeuvres.examples import EXAMPLES
from tests.manoeuvres.factory import number
from tests.targets.stages import staged, suite

SCHEMAS = Path(scenariogeneration.__file__).parents[1] / "schemas"
VERSIONS = ("1.0", "1.1", "1.2", "1.3")
EGOS = ("none", "external", "reference", "late")


def emitted(ego: str = "none", version: str = "1.3", *, right_hand: bool = True) -> dict[str, Artifact]:
    made = openscenario.emit(suite(), staged(ego, right_hand=right_hand), openscenario.Options(osc_version=version))  # type: ignore[arg-type]
    assert len({artifact.path for artifact in made}) == len(made)
    return {artifact.path.removeprefix("openscenario/"): artifact for artifact in made}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("ego", EGOS)
def test_every_file_is_valid_by_the_schema_of_its_version(version: str, ego: str) -> None:
    name = {"1.3": "1_3_1"}.get(version, version.replace(".", "_"))
    schema = etree.XMLSchema(etree.parse(SCHEMAS / f"OpenSCENARIO_{name}.xsd"))
    road = etree.XMLSchema(etree.parse(SCHEMAS / "opendrive_17_core.xsd"))
    files = emitted(ego, version)
    assert sum(path.startswith("concrete/") and path.endswith(".xosc") for path in files) == len(staged(ego).stages)
    for path, artifact in files.items():
        if path.endswith((".xosc", ".xodr")):
            document = etree.fromstring(artifact.content)
            checked = road if path.endswith(".xodr") else schema
            assert checked.validate(document), f"{path}: {checked.error_log}"
        if path.endswith(".xosc"):
            assert document.find("FileHeader").get("revMinor") == version[2:]


@pytest.mark.parametrize("ego", EGOS)
def test_numbers_that_a_sidecar_names_follow_from_its_sheet(ego: str) -> None:
    checked, files = 0, emitted(ego)
    for path, artifact in files.items():
        if not (path.startswith("concrete/") and path.endswith(".json")):
            continue
        about = Sidecar.model_validate_json(artifact.content)
        if about.files is None:
            continue
        root = ET.fromstring(files[about.files.scenario].content)
        known = {name: float(line.value) for name, line in about.sheet.items()}
        for place, said in about.places.items():
            element, attribute = place.rsplit("@", 1)
            found = root.find(element)
            assert found is not None, place
            assert abs(float(found.attrib[attribute]) - formula.evaluate(said, known)) <= 1e-5, f"{path} {place}"
            checked += 1
        for name, line in about.sheet.items():
            if line.formula:
                assert abs(known[name] - formula.evaluate(line.formula, known)) <= 1e-5, f"{path} {name}"
    assert checked > 100


def test_a_line_of_the_sheet_says_where_it_comes_from() -> None:
    for stage in staged().stages:
        for name, line in stage.sheet.items():
            assert line.basis != "cited" or line.sources, name
            assert line.basis != "derived" or line.formula or line.sources, name
            assert line.basis != "assumed" or line.assumption, name


def test_a_logical_file_with_its_defaults_is_the_concrete_file() -> None:
    """The group's first test: each expression, its parameters at their defaults, gives the number of the concrete file."""
    files = emitted()
    compared = 0
    for path, artifact in files.items():
        if not re.fullmatch(r"logical/[^.]+\.xosc", path) or f"variations/{path[8:-5]}_prescribed.xosc" not in files:
            continue
        logical = ET.fromstring(artifact.content)
        defaults = {item.attrib["name"]: item.attrib["value"] for item in logical.iter("ParameterDeclaration")}
        concrete = ET.fromstring(files[f"concrete/{defaults['scenario_id']}.xosc"].content)
        logical.remove(logical.find("ParameterDeclarations"))  # type: ignore[arg-type]
        for one, other in zip(logical.find("Storyboard").iter(), concrete.find("Storyboard").iter(), strict=True):  # type: ignore[union-attr]
            assert one.tag == other.tag
            for key, value in one.attrib.items():
                if "$" in value:
                    assert float(other.attrib[key]) == pytest.approx(_evaluated(value, defaults), abs=1e-5), (path, one.tag, key)
                    compared += 1
                else:
                    assert other.attrib[key] == value
    assert compared == 0 or compared > 5


def _evaluated(expression: str, defaults: dict[str, str]) -> float:
    """`${...}` or `$name` with each parameter at its default."""
    inner = expression[2:-1] if expression.startswith("${") else expression
    return formula.evaluate(re.sub(r"\$(\w+)", lambda match: defaults[match[1]], inner), {})


def test_what_is_open_becomes_parameters_in_the_regulations_units() -> None:
    """Each expression over them gives at their defaults the number of the stage, also behind a root or an angle of what is known."""
    files = emitted()
    assert {stage.stem for stage in staged().logical} == {"MADE_pedestrian-after-a-turn", "MADE_lane-change", "MADE_car-in-a-curve"}
    for stage in staged().logical:
        root = ET.fromstring(files[f"logical/{stage.stem}.xosc"].content)
        declared = root.findall("ParameterDeclarations/ParameterDeclaration")
        assert len(declared) == len(stage.free)
        for item in declared:
            assert re.search(r"_(kph|mps|s|m|mph|percent|mps2|ms|deg|degps)$", item.attrib["name"])
        defaults = {item.attrib["name"]: item.attrib["value"] for item in declared}
        known = {name: line.value for name, line in stage.sheet.items()}
        places = Sidecar.model_validate_json(files[f"logical/{stage.stem}.json"].content).places
        open_ = 0
        for place, said in places.items():
            path, attribute = place.rsplit("@", 1)
            written = root.find(path).attrib[attribute]  # type: ignore[union-attr]
            assert _evaluated(written, defaults) == pytest.approx(formula.evaluate(said, known), abs=1e-5), f"{stage.stem} {place}"
            open_ += "$" in written
        assert open_ > 3


def test_an_open_number_inside_an_angle_has_no_logical_file() -> None:
    """Where in a curve the target stands follows from its offset by an arc cosine."""
    near = EXAMPLES["car in a curve"]
    test = near.model_copy(update={"id": "MADE_far", "bind": near.bind | {"offset": number(">0.5 m")}})
    far = lay_out(test, data.load(), Options())
    made = openscenario.emit(suite().model_copy(update={"scenarios": (test,)}), Staged(logical=(far,)), openscenario.Options())
    (told,) = (item for item in made if "/logical/" in item.path)
    assert [loss.code for loss in told.losses] == ["O614"]
    assert b"sin(around)" in told.content


def test_left_hand_traffic_mirrors_every_file() -> None:
    right, left = emitted(), emitted(right_hand=False)
    for path in right:
        if path.startswith("roads/"):
            assert b'rule="RHT"' in right[path].content
            assert b'rule="LHT"' in left[path].content
    # a side that the test or one of its phases states is the same in both
    stated = {test.id for test in suite().scenarios if "side" in test.axes or any("side" in phase.bind for phase in test.phases)}
    for one, other in zip(staged().stages, staged(right_hand=False).stages, strict=True):
        for mover, turned in zip((one.subject, *one.others, *one.things), (other.subject, *other.others, *other.things), strict=True):
            assert one.scenario in stated or turned.start.y == pytest.approx(-mover.start.y)


@pytest.mark.parametrize("version", VERSIONS)
def test_losses_of_a_version_are_told(version: str) -> None:
    codes = {loss.code for artifact in emitted(version=version).values() for loss in artifact.losses}
    expected = {"1.0": {"O601", "O602", "O603", "O604", "O605", "O606"}, "1.1": {"O605", "O606"}}.get(version, set())
    assert expected <= codes
    if version >= "1.3":
        assert not codes & {"O601", "O605", "O606", "O607"}


def test_boxes_stand_on_the_ground() -> None:
    for path, artifact in emitted().items():
        if path.startswith("catalogs/"):
            for box in ET.fromstring(artifact.content).iter("BoundingBox"):
                centre, size = box.find("Center"), box.find("Dimensions")
                assert centre is not None
                assert size is not None
                assert Decimal(centre.attrib["z"]) == Decimal(size.attrib["height"]) / 2
        if path.startswith("concrete/") and path.endswith(".xosc"):
            assert {position.get("z") for position in ET.fromstring(artifact.content).iter("WorldPosition")} == {"0"}


def test_same_input_same_bytes() -> None:
    one, other = emitted("reference"), emitted("reference")
    assert {path: artifact.content for path, artifact in one.items()} == {path: artifact.content for path, artifact in other.items()}
    assert all(b"e-0" not in artifact.content for path, artifact in one.items() if path.endswith((".xosc", ".xodr")))
    assert json.loads(next(a for p, a in one.items() if p.endswith(".json")).content)["schema_version"] == "2"


def test_a_parameter_has_the_places_of_its_sheet() -> None:
    radius = Value(lo=Decimal("3.21502057625"), hi=Decimal("3.21502057625"), unit="m", basis="assumed", assumption="A844")
    test = suite().scenarios[0]
    test = test.model_copy(update={"bind": {**test.bind, "radius": radius}})
    *_, declared = declarations((OpenParameter("radius_m", "bind.radius", "bind.radius"),), (test,))
    assert (declared.default, declared.least, declared.most) == ("3.215020576", "3.215020576", "3.215020576")
    assert b'parameterRef="radius_m" value="3.215020576"' in variation(
        "x", (OpenParameter("radius_m", "bind.radius", "bind.radius"),), (test,), 3, Header("x", "1970-01-01T00:00:00", {}, "")
    )
