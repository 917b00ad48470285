"""One build of the OpenSCENARIO target: which files there are, and what stands in their templates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal

from regc.assumed import Manoeuvres, Pedestrian
from regc.errors import TargetRefusedError
from regc.model.result import Artifact, Checked, Finding
from regc.model.scenario import Scenario
from regc.model.units import plain
from regc.targets import _osc_catalogs as catalogs
from regc.targets import _osc_logical as logical
from regc.targets import _osc_manoeuvre_files as manoeuvre
from regc.targets import _osc_sidecar as sidecar
from regc.targets import _roads as roads
from regc.targets._osc_formula import Value, written
from regc.targets._osc_losses import not_written, of_version
from regc.targets._osc_storyboard import Shape, template
from regc.targets._osc_values import Setup, Values, values
from regc.targets._osc_xml import fill

NAME = "openscenario"
#: half of 0.1 km/h in m/s: two speeds that differ by less are the same speed
SPEED_RESOLUTION = Decimal("0.0139")
HALF_PI = Decimal("1.570796")


class Build:
    """One call of emit: templates are made once a shape, then filled for each scenario."""

    def __init__(self, checked: Checked, osc_version: str, setup: Setup) -> None:
        self.checked, self.osc_version, self.setup = checked, osc_version, setup
        self.minor = int(osc_version.split(".")[1])
        self.losses = of_version(osc_version)
        self.date = f"{checked.edition_date}T00:00:00"
        self.note = (
            " Made from an embedded edition: the wording is not that of the official text, which type approval must use."
            if checked.wording == "embedded"
            else ""
        )
        self.entries: dict[str, dict[str, catalogs.Entry]] = {"vehicles": {}, "pedestrians": {}, "objects": {}}
        self.templates: dict[Shape, str] = {}
        self.farthest: dict[Decimal | None, Decimal] = {}
        numbers = {scenario.id: values(scenario, setup) for scenario in checked.scenarios if not not_written(scenario, setup)}
        self.numbers: dict[str, Values] = numbers
        frictions = {_friction(numbers[key]) for key in numbers}
        self.road_names = {
            value: "straight.xodr" if len(frictions) == 1 else f"straight_{'any' if value is None else plain(value)}.xodr"
            for value in frictions
        }

    def artifacts(self) -> tuple[Artifact, ...]:
        """Every file, in order of the paths."""
        found: list[Artifact] = []
        groups: dict[str, list[Scenario]] = defaultdict(list)
        for scenario in self.checked.scenarios:
            if scenario.approach_type == "manoeuvre" and self.setup.manoeuvres:
                found.extend(self._manoeuvre(scenario, self.setup.manoeuvres))
                continue
            if refusal := not_written(scenario, self.setup):
                found.append(self._left_out(scenario, refusal))
                continue
            found.extend(self._concrete(scenario))
            groups[logical.group_name(scenario)].append(scenario)
        if self.minor >= 1:
            for name, scenarios in groups.items():
                found.extend(self._logical(name, scenarios))
        found.extend(self._catalogs())
        found.extend(self._roads())
        return tuple(sorted(found, key=lambda item: item.path))

    def _file(self, path: str, content: bytes, scenario: Scenario | None = None, losses: tuple[Finding, ...] = ()) -> Artifact:
        return Artifact(
            path=f"openscenario/{path}", content=content, target=NAME, scenario=scenario.id if scenario else None, losses=losses
        )

    def _left_out(self, scenario: Scenario, reason: Finding) -> Artifact:
        content = sidecar.head(scenario, (reason,), self.osc_version, self.setup.ego)
        return self._file(f"concrete/{scenario.id}.json", sidecar.dump(content), scenario, (reason,))

    def _manoeuvre(self, scenario: Scenario, data: Manoeuvres) -> list[Artifact]:
        frame = manoeuvre.Frame(
            self.setup,
            data,
            self.osc_version,
            self.date,
            self._road_title("road of a manoeuvre"),
            self.note,
            self._surroundings(),
            self.entries,
            self.losses,
        )
        made = manoeuvre.files(scenario, frame)
        if isinstance(made, Finding):
            return [self._left_out(scenario, made)]
        shared = [file.path.startswith("roads/") for file in made]
        return [self._file(f.path, f.content, None if road else scenario, f.losses) for f, road in zip(made, shared, strict=True)]

    def _road_title(self, title: str) -> str:
        return title + (" (from an embedded edition)" if self.checked.wording == "embedded" else "")

    def _surroundings(self) -> dict[str, str]:
        """The numbers of the environment that are the same in every file."""
        given = self.setup.track.environment
        return {
            "temperature": plain(given.temperature + Decimal("273.15")),
            "illuminance": plain(given.illuminance),
            "sun_azimuth": plain(given.sun_azimuth),
            "sun_elevation": plain(given.sun_elevation),
            "visual_range": plain(given.visual_range),
            "pressure": plain(given.pressure),
        }

    def _shape(self, scenario: Scenario) -> Shape:
        numbers = self.numbers[scenario.id]
        return Shape(
            minor=self.minor,
            ego=self.setup.ego,
            crossing=numbers.crossing,
            run_up=numbers.crossing and numbers.target.run_up is not None,
            moving=not numbers.crossing and scenario.target.speed.value > 0,
            road=self.road_names[_friction(numbers)],
            date=self.date,
            date_time=self.setup.track.environment.date_time,
        )

    def _concrete(self, scenario: Scenario) -> tuple[Artifact, Artifact]:
        shape = self._shape(scenario)
        if shape not in self.templates:
            self.templates[shape] = template(shape)
        numbers = self.numbers[scenario.id]
        known = numbers.resolve()
        end = _number(known["end_time"])
        reach = [_number(known["subject_x"]) + end * _number(known["subject_test_speed"]), _number(known["target_x"])]
        if not numbers.crossing:
            reach.append(_number(known["target_x"]) + end * _number(known["prescribed_target_speed"]))
        friction = _friction(numbers)
        self.farthest[friction] = max(self.farthest.get(friction, Decimal(0)), *reach)
        content = fill(self.templates[shape], self._texts(scenario, numbers, known))
        about = sidecar.head(scenario, self.losses, self.osc_version, self.setup.ego)
        about |= {
            "parameters": sidecar.parameters(numbers, known),
            "assumptions": sidecar.assumptions(numbers, self.setup, scenario),
            "files": {"scenario": f"concrete/{scenario.id}.xosc", "road": f"roads/{shape.road}", "catalogs": "catalogs"},
        }
        return (
            self._file(f"concrete/{scenario.id}.xosc", content, scenario, self.losses),
            self._file(f"concrete/{scenario.id}.json", sidecar.dump(about), scenario),
        )

    def _texts(self, scenario: Scenario, numbers: Values, known: dict[str, Value]) -> dict[str, str]:
        """What stands in the place of each `$name` of the template."""
        load = scenario.load_state.kind if scenario.load_state else "running_order"
        subject = catalogs.entry_name("subject", numbers.subject_name, load)
        target = catalogs.entry_name(scenario.target.type)
        catalog = "pedestrians" if isinstance(numbers.target, Pedestrian) else "vehicles"
        mass = getattr(numbers.subject.mass, load)
        if subject not in self.entries["vehicles"]:
            self.entries["vehicles"][subject] = catalogs.wheeled(subject, numbers.subject, mass, self.minor)
        if target not in self.entries[catalog]:
            self.entries[catalog][target] = catalogs.target(target, numbers.target, self.minor)
        texts = {name: written(value) for name, value in known.items()}
        texts |= {
            "description": f"{scenario.title} [{scenario.id}].{self.note}",
            "header_id": scenario.id,
            "header_status": scenario.status,
            "header_clause": f"{scenario.regulation} {scenario.clause}",
            "header_wording": scenario.wording,
            "header_criterion": logical.criterion(scenario),
            "subject_entry": subject,
            "target_catalog": catalog,
            "target_entry": target,
            "subject_speed": texts["subject_test_speed"],
            "target_speed": texts["prescribed_target_speed"],
            "target_z": plain(numbers.target.height / 2) if isinstance(numbers.target, Pedestrian) else "0",
            "target_heading": plain(HALF_PI * _number(known["direction"])) if numbers.crossing else "0",
            **self._surroundings(),
            "speed_resolution": plain(SPEED_RESOLUTION),
        }
        if numbers.crossing and (run_up := numbers.target.run_up):
            name = catalogs.entry_name("obstacle", scenario.target.type)
            self.entries["objects"].setdefault(name, catalogs.obstacle(name, run_up))
            texts |= {"obstacle_entry": name, "obstacle_z": plain(run_up.obstacle_height / 2)}
        return texts

    def _logical(self, name: str, scenarios: Sequence[Scenario]) -> list[Artifact]:
        shape = self._shape(scenarios[0])
        first = self.numbers[scenarios[0].id]
        known = first.resolve(logical.symbols(first))
        texts = self._texts(scenarios[0], first, known)
        texts["description"] = f"{name}: logical scenario of {len(scenarios)} tests.{self.note}"
        texts |= {
            "header_id": name,
            "header_status": "logical",
            "header_criterion": "impact speed at most the parameter max_impact_speed",
        }
        declared = logical.declarations(scenarios, self.numbers)
        content = fill(template(shape, declared), texts)
        distribution = logical.variation(name, scenarios, self.minor, self.date, f"{name}: the tests' values.{self.note}")
        return [self._file(f"logical/{name}.xosc", content), self._file(f"variations/{name}.xosc", distribution)]

    def _catalogs(self) -> list[Artifact]:
        description = f"Assumed data for {self.checked.title}.{self.note}"
        return [
            self._file(f"catalogs/{name}.xosc", catalogs.catalog(name, entries, description, self.minor, self.date))
            for name, entries in self.entries.items()
            if entries
        ]

    def _roads(self) -> list[Artifact]:
        track = self.setup.track
        found = []
        for friction, name in self.road_names.items():
            length = roads.needed_length(track.road, self.farthest[friction])
            slope = track.environment.slope / 100
            title = self._road_title("straight road")
            content = roads.straight(track.road, length, friction, slope, right_hand=self.setup.right_hand, date=self.date, title=title)
            found.append(self._file(f"roads/{name}", content))
        return found


def _friction(numbers: Values) -> Decimal | None:
    leaf = numbers.leaves.get("peak_braking_coefficient")
    return leaf.value if leaf else None


def _number(value: Value) -> Decimal:
    if isinstance(value, str):
        raise TargetRefusedError(f"not a number: {value}")
    return value
