"""The written files as files: valid, traced, equal in their logical form, the same bytes each time."""

from __future__ import annotations

import ast
import json
import re
import xml.etree.ElementTree as ET
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import scenariogeneration
from lxml import etree
from pydantic import ValidationError

from regc.errors import DataFileError
from regc.model.result import Artifact
from regc.model.source import Quantity
from regc.resources import package_data
from regc.targets import openscenario
from regc.targets._osc_formula import evaluate, si_expression, written
from regc.targets._osc_sidecar_model import Sidecar
from tests import factories

SCHEMAS = Path(scenariogeneration.__file__).parents[1] / "schemas"
#: one of each structure
PICKED = (
    factories.scenario("car_to_stationary_car", speed="42", load="MassRun"),
    factories.scenario("car_to_moving_car", speed="60", target_speed="15"),
    factories.scenario("car_to_pedestrian", speed="20", category="N1"),
    factories.scenario("car_to_bicycle", speed="38"),
)


def _emit(*scenarios: Any, **options: Any) -> dict[str, Artifact]:
    made = openscenario.emit(factories.checked(*(scenarios or PICKED)), openscenario.Options(**options))
    assert len({artifact.path for artifact in made}) == len(made)
    return {artifact.path.removeprefix("openscenario/"): artifact for artifact in made}


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2", "1.3"])
@pytest.mark.parametrize("ego", ["none", "external", "reference", "late"])
def test_valid_by_the_schema_of_the_version(version: str, ego: str) -> None:
    name = {"1.3": "1_3_1"}.get(version, version.replace(".", "_"))
    schema = etree.XMLSchema(etree.parse(SCHEMAS / f"OpenSCENARIO_{name}.xsd"))
    road = etree.XMLSchema(etree.parse(SCHEMAS / "opendrive_17_core.xsd"))
    for path, artifact in _emit(*PICKED, *factories.false_reactions(), osc_version=version, ego=ego).items():
        if path.endswith(".json"):
            continue
        document = etree.fromstring(artifact.content)
        (road if path.endswith(".xodr") else schema).assertValid(document)
        if path.endswith(".xosc"):
            assert document.find("FileHeader").get("revMinor") == version[2:]
            assert document.find("FileHeader").get("date") == "2021-09-30T00:00:00"
        else:
            assert document.find("header").get("date") == "2021-09-30T00:00:00"


def test_losses_of_old_versions_are_named() -> None:
    codes = {}
    for version in ("1.0", "1.1", "1.2", "1.3"):
        files = _emit(osc_version=version)
        artifact = files[f"concrete/{PICKED[0].id}.xosc"]
        codes[version] = [loss.code for loss in artifact.losses]
        sidecar = json.loads(files[f"concrete/{PICKED[0].id}.json"].content)
        assert [loss["code"] for loss in sidecar["losses"]] == codes[version]
        assert any(path.startswith(("logical/", "variations/")) for path in files) == (version != "1.0")
    assert codes == {
        "1.0": ["T601", "T602", "T603", "T604", "T605", "T606"],
        "1.1": ["T605", "T606"],
        "1.2": [],
        "1.3": [],
    }


@pytest.mark.parametrize("ego", ["none", "reference"])
def test_every_number_is_traced(ego: str) -> None:
    """A number in a scenario file is a parameter of the sidecar, or one of the few that mean nothing: zeros, the version, the clock."""
    explained = set(re.findall(r"^\[(A\d+)\]", "".join(p.read_text() for p in package_data("explain").glob("A8*.toml")), re.M))
    for scenario in PICKED:
        files = _emit(scenario, ego=ego)
        sidecar = json.loads(files[f"concrete/{scenario.id}.json"].content)
        known = {entry["value"] for entry in sidecar["parameters"].values()}
        track = {"3.1416", "0.9", "10000", "101325"}
        angles = {"1.570796", "-1.570796"}
        tied = {"0.575", "1.25", "0.0139"}
        constant = {"0", "1"}
        for element in etree.fromstring(files[f"concrete/{scenario.id}.xosc"].content).iter():
            for name, value in element.attrib.items():
                if name in ("revMajor", "revMinor") or not re.fullmatch(r"-?\d+(\.\d+)?", value):
                    continue
                assert value in known | track | angles | tied | constant, f"{element.tag}@{name}={value}"
        for name, entry in sidecar["parameters"].items():
            match entry["basis"]:
                case "cited":
                    assert entry["sources"], name
                case "assumed":
                    assert entry["assumption"] in explained, name
                case _:
                    assert entry["fields"] or entry["assumptions"], name
                    assert set(entry["assumptions"]) <= explained, name
        assert {item["code"] for item in sidecar["assumptions"]} <= explained
        assert all(item["reason"] and item["numbers"] for item in sidecar["assumptions"])


@pytest.mark.parametrize("ego", ["none", "external", "late"])
def test_sidecars_have_the_published_form(ego: str) -> None:
    strange = PICKED[0].model_copy(update={"id": "X_1", "target": PICKED[0].target.model_copy(update={"type": "animal_target"})})
    files = _emit(*PICKED, *factories.false_reactions(), strange, ego=ego, osc_version="1.1")
    found = [Sidecar.model_validate_json(item.content) for path, item in files.items() if path.endswith(".json")]
    assert len(found) == len(PICKED) + 12 + 1
    assert [item.id for item in found if item.files is None] == ["X_1"]


def test_assumptions_of_the_reading_stand_in_the_sidecar_too() -> None:
    speed = PICKED[3].subject.test_speed
    assert speed.tolerance is not None
    borrowed = speed.model_copy(update={"tolerance": speed.tolerance.model_copy(update={"assumption": "A851"})})
    scenario = PICKED[3].model_copy(update={"subject": PICKED[3].subject.model_copy(update={"test_speed": borrowed})})
    sidecar = json.loads(_emit(scenario)[f"concrete/{scenario.id}.json"].content)
    found = {item["code"]: item["numbers"] for item in sidecar["assumptions"]}
    assert found["A851"] == {"subject.test_speed.tolerance": "+0/-2 km/h"}


def test_another_number_in_the_document_is_another_number_in_the_file() -> None:
    before = PICKED[2]
    changes: dict[str, tuple[str, dict[str, Any]]] = {
        "trigger": ("min_ttc", {"value": Decimal("5")}),
        "target": ("speed", {"value": Decimal("4.5")}),
        "approach": ("min_straight_time", {"value": Decimal("3")}),
        "environment": ("peak_braking_coefficient", {"value": Decimal("0.8")}),
    }
    after = before
    for part, (name, change) in changes.items():
        model = getattr(after, part)
        quantity: Quantity = getattr(model, name)
        after = after.model_copy(update={part: model.model_copy(update={name: quantity.model_copy(update=change)})})
    files = _emit(after)
    text = files[f"concrete/{after.id}.xosc"].content.decode()
    assert 'TimeToCollisionCondition value="5.02"' in text
    assert 'TimeToCollisionCondition value="5"' in text
    assert 'AbsoluteTargetSpeed value="1.25"' in text
    assert 'SimulationTimeCondition value="2.995"' in text
    assert b'friction="0.8"' in files["roads/straight.xodr"].content


def _calculated(expression: str, values: dict[str, float]) -> float:
    """The value of ${...} by Python's own arithmetic."""
    body = re.sub(r"\$(\w+)", lambda match: repr(values[match[1]]), expression.removeprefix("${").removesuffix("}"))
    allowed = (ast.Expression, ast.BinOp, ast.Constant, ast.operator)
    assert all(isinstance(node, allowed) for node in ast.walk(ast.parse(body, mode="eval"))), body
    return float(eval(body))


def test_logical_file_with_its_value_sets_is_the_concrete_files() -> None:
    scenarios = factories.family_sweep("car_to_moving_car", "N1", "MaxMass") + factories.family_sweep("car_to_bicycle", "M1", "MassRun")
    files = _emit(*scenarios, ego="reference")
    by_speeds = {(s.family, s.subject.test_speed.value, s.target.speed.value): s for s in scenarios}
    seen = 0
    for path in [path for path in files if path.startswith("variations/")]:
        logical = ET.fromstring(files[path.replace("variations", "logical")].content)
        declared = {item.attrib["name"]: float(item.attrib["value"]) for item in logical.iter("ParameterDeclaration")}
        for chosen in ET.fromstring(files[path].content).iter("ParameterValueSet"):
            values = declared | {item.attrib["parameterRef"]: float(item.attrib["value"]) for item in chosen}
            family = path.split("/")[1].rsplit("_", 2)[0]
            scenario = by_speeds[family, Decimal(str(values["subject_test_speed"])), Decimal(str(values["target_speed"]))]
            assert values["max_impact_speed"] == float(scenario.criteria.max_impact_speed.value)  # type: ignore[union-attr]
            concrete = ET.fromstring(files[f"concrete/{scenario.id}.xosc"].content)
            for one, two in zip(logical.find("Storyboard").iter(), concrete.find("Storyboard").iter(), strict=True):  # type: ignore[union-attr]
                assert one.tag == two.tag
                for name, value in one.attrib.items():
                    if value.startswith("$"):
                        assert _calculated(value, values) == pytest.approx(float(two.attrib[name]), abs=2e-6), (one.tag, name)
                    else:
                        assert value == two.attrib[name], (scenario.id, one.tag, name)
            seen += 1
    assert seen == len(scenarios) == 22


def test_groups_of_a_category_keep_apart() -> None:
    groups = ("alpha > 1.3", "alpha <= 1.3")
    picked = [
        factories.scenario(speed="40", category="N1").model_copy(update={"id": f"X{n}", "group": g}) for n, g in enumerate(groups)
    ]
    files = _emit(*picked)
    names = {path for path in files if path.startswith("logical/")}
    assert names == {f"logical/car_to_stationary_car_N1_alpha_{word}_1_3_MaxMass.xosc" for word in ("gt", "le")}
    masses = re.findall(r'name="subject_N1\w*" vehicleCategory="car" mass="(\d+)"', files["catalogs/vehicles.xosc"].content.decode())
    assert sorted(masses) == ["1900", "3500"]


def test_values_of_a_logical_parameter_lie_in_one_group() -> None:
    files = _emit(*factories.family_sweep("car_to_pedestrian", "M1", "MaxMass"))
    logical = ET.fromstring(files["logical/car_to_pedestrian_M1_MaxMass.xosc"].content)
    for declaration in logical.iter("ParameterDeclaration"):
        assert len(declaration.findall("ConstraintGroup")) == 1
    speed = logical.find("ParameterDeclarations/ParameterDeclaration[@name='subject_test_speed']/ConstraintGroup")
    assert speed is not None
    assert [(item.attrib["rule"], item.attrib["value"]) for item in speed] == [("greaterOrEqual", "20"), ("lessOrEqual", "60")]


def test_plain_numbers_and_no_edges() -> None:
    for path, artifact in _emit(*PICKED, *factories.false_reactions(), ego="reference").items():
        text = artifact.content.decode()
        assert not re.search(r'="-?\d[\d.]*e[+-]?\d', text), path
        assert 'conditionEdge="rising"' not in text
        assert "\r" not in text
        assert "now" not in re.findall(r'date="[^"]*"', text)
        if path.startswith("concrete/") and path.endswith(".xosc"):
            assert "$" not in text
            for place in ET.fromstring(text).iter("WorldPosition"):
                assert set(place.attrib) == {"x", "y", "z", "h", "p", "r"}


def test_same_bytes_each_time_and_in_any_company() -> None:
    everything = (*PICKED, *factories.false_reactions())
    once, again, alone = _emit(*everything), _emit(*everything), _emit(PICKED[3])
    assert {path: artifact.content for path, artifact in once.items()} == {path: artifact.content for path, artifact in again.items()}
    for name in (f"concrete/{PICKED[3].id}.xosc", f"concrete/{PICKED[3].id}.json"):
        assert once[name].content == alone[name].content


def test_embedded_wording_is_said_in_every_file() -> None:
    for path, artifact in _emit(*PICKED, *factories.false_reactions()).items():
        assert b"embedded" in artifact.content, path
    official = PICKED[0].model_copy(update={"wording": "official"})
    checked = factories.checked(official).model_copy(update={"wording": "official"})
    for artifact in openscenario.emit(checked, openscenario.Options()):
        assert b"embedded edition" not in artifact.content


def test_scenarios_without_a_file_are_named() -> None:
    strange = PICKED[0].model_copy(update={"id": "X_1", "target": PICKED[0].target.model_copy(update={"type": "animal_target"})})
    unknown = factories.false_reaction(2).model_copy(update={"manoeuvre": ()})
    files = _emit(unknown, strange, PICKED[0])
    refused = {path: artifact for path, artifact in files.items() if artifact.losses}
    assert {path: [loss.code for loss in artifact.losses] for path, artifact in refused.items()} == {
        f"concrete/{unknown.id}.json": ["T610"],
        "concrete/X_1.json": ["T611"],
    }
    assert f"concrete/{PICKED[0].id}.xosc" in files


def _data(tmp_path: Path, name: str, old: str, new: str) -> Path:
    text = package_data("data", name).read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / name
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def test_own_data_files_replace_the_assumed_numbers(tmp_path: Path) -> None:
    vehicle = _data(tmp_path, "vehicles.toml", "length = 4.50", "length = 5.00")
    targets = _data(tmp_path, "targets.toml", "width = 0.50", "width = 0.70")
    files = _emit(vehicle=vehicle, targets=targets)
    assert b'length="5"' in files["catalogs/vehicles.xosc"].content
    assert b'width="0.7"' in files["catalogs/pedestrians.xosc"].content


@pytest.mark.parametrize(
    ("option", "name", "old", "new", "said"),
    [
        ("vehicle", "vehicles.toml", "length = 4.50", "length = -4.50", "default.length: Input should be greater than 0, got -4.5"),
        ("vehicle", "vehicles.toml", "wheelbase = 2.70\n", "", "default.wheelbase: is missing"),
        ("vehicle", "vehicles.toml", "wheelbase = 2.70", "wheelbase = 'long'", "default.wheelbase"),
        ("targets", "targets.toml", "mass = 20", "mass = 20\nage = 7", "pedestrian_target.age"),
        ("targets", "targets.toml", 'kind = "bicycle"', 'kind = "moped"', "bicycle_target"),
        ("road", "road.toml", "lane_width = 3.5", "lane_width == 3.5", "not TOML"),
    ],
)
def test_bad_data_files_name_file_key_and_value(tmp_path: Path, option: str, name: str, old: str, new: str, said: str) -> None:
    path = _data(tmp_path, name, old, new)
    with pytest.raises(DataFileError, match=re.escape(said)) as caught:
        _emit(**{option: path})
    assert name in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("temperature = 20", "temperature = 46", "environment.temperature: 46 degC does not fit max_temperature 45 degC"),
        ("temperature = 20", "temperature = -1", "environment.temperature: -1 degC does not fit min_temperature 0 degC"),
        ("illuminance = 30000", "illuminance = 2000", "environment.illuminance: 2000 lux does not fit min_illumination 2000 lux"),
        ("slope = 0", "slope = 1.5", "environment.slope: 1.5 per cent does not fit max_slope 1 per cent"),
    ],
)
def test_assumed_surroundings_stay_inside_the_regulations_ranges(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(DataFileError, match=re.escape(said)) as caught:
        _emit(PICKED[2], road=_data(tmp_path, "road.toml", old, new))
    assert "6.1" in str(caught.value)


def test_slope_goes_to_the_road(tmp_path: Path) -> None:
    files = _emit(road=_data(tmp_path, "road.toml", "slope = 0", "slope = 1"))
    assert b'b="0.01"' in files["roads/straight.xodr"].content


def test_missing_data_file_and_short_approach(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match=r"nowhere\.toml: cannot be read"):
        _emit(road=tmp_path / "nowhere.toml")
    with pytest.raises(DataFileError, match=r"needs at least 2 s"):
        _emit(approach=1)
    with pytest.raises(ValidationError):
        openscenario.Options(osc_version="2.0")  # type: ignore[arg-type]


def test_formulas_fold_constants_and_keep_parameters() -> None:
    known = {"v": si_expression("speed", "km/h"), "t": Decimal(2), "n": Decimal(-3)}
    assert evaluate("t * 3 - n / 2", known) == Decimal("7.5")
    assert written(evaluate("v * t + n", known)) == "${((($speed / 3.6) * 2) + (0 - 3))}"
    assert si_expression("speed", "mph") == "($speed * 0.44704)"
    assert si_expression("ttc", "s") == "$ttc"
