"""OpenSCENARIO XML 1.0 to 1.3 with OpenDRIVE roads: concrete and logical scenarios, variations, catalogues, sidecars."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from regc import assumed, toolprofiles
from regc.model.result import Artifact, Checked
from regc.targets._driven import DrivenOptions
from regc.targets._osc_sidecar_model import json_schema

#: JSON Schemas of files that other programs read
SCHEMAS = {"openscenario-sidecar": json_schema}


class Options(DrivenOptions):
    """What a user can choose."""

    osc_version: Literal["1.3", "1.2", "1.1", "1.0"] = Field("1.3", description="OpenSCENARIO version of the files")
    ego: Literal["none", "external", "reference", "late"] = Field(
        "none",
        description="who drives: none (constant speed), external (a slot for the system under test), reference (a model of AEB), "
        "late (the same, too late)",
    )
    step: float = Field(0.01, gt=0, le=0.1, description="time step in s of the player")
    manoeuvres: Path | None = Field(None, description="TOML file of the free measures of manoeuvres, in place of the built-in one")
    profile: str | None = Field(None, description="tool that will run the files; what it does not take is refused (regc targets)")


def emit(checked: Checked, options: Options) -> tuple[Artifact, ...]:
    """All files under openscenario/. Raises DataFileError for a data file that does not fit, TargetRefusedError where a timing, a
    geometry or a condition of the regulation would be lost."""
    setup = options.setup(options.ego, options.step, assumed.manoeuvres(options.manoeuvres))
    from regc.targets._osc_build import Build  # scenariogeneration is slow to import, and flags need only Options

    artifacts = Build(checked, options.osc_version, setup).artifacts()
    return toolprofiles.enforce(options.profile, artifacts, options.model_dump()) if options.profile else artifacts
