"""OpenSCENARIO XML 1.0 to 1.3 with OpenDRIVE roads: concrete and logical scenarios, variations, catalogues, sidecars."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from regc.model.result import Artifact
from regc.model.stage import Staged
from regc.model.suite import Suite
from regc.targets.openscenario import tools
from regc.targets.openscenario.scenario_files import Build, json_schema

NAME = "openscenario"
#: JSON Schemas of files that other programs read
SCHEMAS = {"openscenario-sidecar": json_schema}


class Options(BaseModel):
    """What a user can choose."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    osc_version: Literal["1.3", "1.2", "1.1", "1.0"] = Field("1.3", description="OpenSCENARIO version of the files")
    profile: str | None = Field(None, description="tool that will run the files; what it does not take is refused (regc targets)")
    licence: str = Field("", description="licence named in the header of each file (from OpenSCENARIO 1.1 on)")


def emit(suite: Suite, staged: Staged, options: Options) -> tuple[Artifact, ...]:
    """All files under openscenario/. Raises TargetRefusedError where a timing, a geometry or a condition of the regulation would be
    lost in the tool of `--profile`."""
    artifacts = Build(suite, staged, int(options.osc_version.split(".")[1]), options.licence).artifacts()
    if options.profile is None:
        return artifacts
    step = max((stage.step for stage in (*staged.stages, *staged.logical)), default=0.0)
    return tools.enforce(options.profile, artifacts, {**options.model_dump(), "step": step})
