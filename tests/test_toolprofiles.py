"""Target profiles: what a tool does not take is refused by name before a file is written."""

from __future__ import annotations

import re

import pytest

from regc import toolprofiles
from regc.errors import TargetRefusedError, UnknownNameError
from regc.model.result import Artifact
from regc.targets import carla, openscenario
from tests.factories import checked, scenario

SUITE = (scenario(), scenario("car_to_pedestrian", speed="40"))


def artifacts(version: str = "1.3", **options: object) -> tuple[tuple[Artifact, ...], dict[str, object]]:
    chosen = openscenario.Options.model_validate({"osc_version": version, **options})
    return openscenario.emit(checked(*SUITE), chosen), chosen.model_dump()


def test_every_profile_loads() -> None:
    assert toolprofiles.names() == ("carla-0.9.16", "carmaker-14", "dyna4", "esmini-3")
    for name in toolprofiles.names():
        profile = toolprofiles.load(name)
        assert profile.openscenario
        assert profile.version
        assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", profile.date)
    with pytest.raises(UnknownNameError, match="esmini"):
        toolprofiles.load("esmini-33")


def test_esmini_takes_our_files_and_names_what_it_ignores() -> None:
    passed = toolprofiles.enforce("esmini-3", *artifacts())
    losses = {loss.field for artifact in passed for loss in artifact.losses}
    assert "friction" in losses
    assert {loss.code for artifact in passed for loss in artifact.losses} == {"T630"}


def test_coarse_step_is_refused_for_esmini() -> None:
    with pytest.raises(TargetRefusedError, match=r"time step above 0.01 s"):
        toolprofiles.enforce("esmini-3", *artifacts(step=0.05))


def test_version_and_features_are_refused_by_name() -> None:
    with pytest.raises(TargetRefusedError) as refused:
        toolprofiles.enforce("carmaker-14", *artifacts())
    assert "OpenSCENARIO 1.3: takes 1.0, 1.1, 1.2" in str(refused.value)
    with pytest.raises(TargetRefusedError) as refused:
        toolprofiles.enforce("carla-0.9.16", *artifacts("1.0"))
    assert "type=ego_vehicle" in str(refused.value)
    assert "reads VehicleCatalog.xosc" in str(refused.value)


def test_files_that_a_tool_has_no_use_for_are_left_out_by_name() -> None:
    found, options = artifacts("1.2")
    passed = toolprofiles.enforce(
        "carmaker-14", [item for item in found if "/roads/" in item.path or "/variations/" in item.path], options
    )
    assert not [item.path for item in passed if "/variations/" in item.path]
    assert [loss.message for item in passed for loss in item.losses if loss.code == "T634"] == [
        "carmaker-14: 2 files left out, variations/: "
        "the importer reads one scenario a file; the TestSeries of the carmaker target varies"
    ]


def test_scenario_without_stop_or_road_is_refused_for_esmini() -> None:
    found, options = artifacts()
    concrete = next(item for item in found if item.path.endswith("CtoStC_M1_MaxMass_040.xosc"))
    text = concrete.content.decode()
    cut = text[: text.rindex("<StopTrigger>")] + "<StopTrigger/>" + text[text.rindex("</StopTrigger>") + len("</StopTrigger>") :]
    with pytest.raises(TargetRefusedError, match="no stop trigger"):
        toolprofiles.enforce("esmini-3", [concrete.model_copy(update={"content": cut.encode()})], options)


def test_the_carla_target_passes_its_own_profile() -> None:
    made = carla.emit(checked(*SUITE), carla.Options())
    assert toolprofiles.enforce("carla-0.9.16", made, {})


def test_build_with_a_profile_is_refused_before_a_file_is_written() -> None:
    with pytest.raises(TargetRefusedError, match=r"OpenSCENARIO 1.3"):
        openscenario.emit(checked(*SUITE), openscenario.Options(profile="carmaker-14"))
    assert openscenario.emit(checked(*SUITE), openscenario.Options(profile="esmini-3"))
