"""Target profiles: what a tool does not take is refused by name before a file is written."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from regc.errors import TargetRefusedError, UnknownNameError
from regc.model.result import Artifact
from regc.pipeline.request import Compiled, Staging
from regc.pipeline.staging import stage_suite
from regc.targets import openscenario
from regc.targets.openscenario import tools

Emit = Callable[..., tuple[tuple[Artifact, ...], dict[str, Any]]]


@pytest.fixture(scope="module")
def artifacts(embedded: Compiled) -> Emit:
    """The files of three tests, two of which differ in values alone, and the options that they were made with."""
    names = tuple(
        f"UNR152-02_{name}" for name in ("p6.4_CtoStC_M1_MaxMass_040", "p6.4_CtoStC_M1_MaxMass_060", "p6.6.1_CtoP_M1_MaxMass_040")
    )
    suite = embedded.suite.model_copy(update={"chosen": names})

    def emit(version: str = "1.3", step: float = 0.01, **options: Any) -> Any:
        chosen = openscenario.Options.model_validate({"osc_version": version, **options})
        made = openscenario.emit(suite, stage_suite(suite, Staging(step=step)), chosen)
        return made, {**chosen.model_dump(), "step": step}

    return emit


def test_every_profile_loads() -> None:
    assert tools.names() == ("carla-0.9.16", "carmaker-14", "dyna4", "esmini-3")
    for name in tools.names():
        profile = tools.load(name)
        assert profile.openscenario
        assert profile.version
        assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", profile.date)
    with pytest.raises(UnknownNameError, match="esmini"):
        tools.load("esmini-33")


def test_esmini_takes_our_files_and_names_what_it_ignores(artifacts: Emit) -> None:
    passed = tools.enforce("esmini-3", *artifacts())
    losses = {loss.field for artifact in passed for loss in artifact.losses}
    assert "friction" in losses
    assert {loss.code for artifact in passed for loss in artifact.losses} == {"O630"}


def test_coarse_step_is_refused_for_esmini(artifacts: Emit) -> None:
    with pytest.raises(TargetRefusedError, match=r"time step above 0.01 s"):
        artifacts(step=0.05, profile="esmini-3")


def test_version_and_features_are_refused_by_name(artifacts: Emit) -> None:
    with pytest.raises(TargetRefusedError) as refused:
        tools.enforce("carmaker-14", *artifacts())
    assert "OpenSCENARIO 1.3: takes 1.0, 1.1, 1.2" in str(refused.value)
    found, options = artifacts("1.0")
    assert tools.enforce("carla-0.9.16", found, options)
    other = [item.model_copy(update={"content": item.content.replace(b"ego_vehicle", b"hero")}) for item in found]
    with pytest.raises(TargetRefusedError, match="type=ego_vehicle"):
        tools.enforce("carla-0.9.16", other, options)


def test_files_that_a_tool_has_no_use_for_are_left_out_by_name(artifacts: Emit) -> None:
    found, options = artifacts("1.2")
    passed = tools.enforce("carmaker-14", [item for item in found if "/roads/" in item.path or "/variations/" in item.path], options)
    assert not [item.path for item in passed if "/variations/" in item.path]
    assert [loss.message for item in passed for loss in item.losses if loss.code == "O634"] == [
        "carmaker-14: 2 files left out, variations/: "
        "the importer reads one scenario a file; the TestSeries of the carmaker target varies"
    ]


def test_scenario_without_stop_or_road_is_refused_for_esmini(artifacts: Emit) -> None:
    found, options = artifacts()
    concrete = next(item for item in found if item.path.endswith("CtoStC_M1_MaxMass_040.xosc"))
    text = concrete.content.decode()
    cut = text[: text.rindex("<StopTrigger>")] + "<StopTrigger/>" + text[text.rindex("</StopTrigger>") + len("</StopTrigger>") :]
    with pytest.raises(TargetRefusedError, match="no stop trigger"):
        tools.enforce("esmini-3", [concrete.model_copy(update={"content": cut.encode()})], options)


def test_build_with_a_profile_is_refused_before_a_file_is_written(artifacts: Emit) -> None:
    with pytest.raises(TargetRefusedError, match=r"OpenSCENARIO 1.3"):
        artifacts(profile="carmaker-14")
    assert artifacts(profile="esmini-3")
