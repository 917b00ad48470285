"""The neutral targets: every number of the scenario is there, with its digits, its unit and its place."""

from __future__ import annotations

import csv
import json
from decimal import Decimal

from regc.targets import bench_csv, bench_json
from tests.factories import checked, false_reactions, scenario, sweep


def test_json_has_start_numbers_and_sources_of_every_driven_scenario() -> None:
    suite = (*sweep(), *false_reactions())
    artifacts = bench_json.emit(checked(*suite), bench_json.Options())
    assert len(artifacts) == 184
    found = {item.scenario: json.loads(item.content) for item in artifacts}
    one = found["UNR152-02_p6.6_CtoP_M1_MaxMass_040"]
    assert one["quantities"]["subject.test_speed"]["value"] == "40"
    assert one["criteria"]["max_impact_speed"]["sources"] == ['un152 5.2.2.4, table 5.2.2.4#1, row 40, column "maximum mass"']
    assert one["parameters"]["start_gap"]["basis"] == "derived"
    assert one["parameters"]["subject_mass"] == {"assumption": "A812", "basis": "assumed", "unit": "kg", "value": "1950"}
    assert "parameters" not in found["UNR152-02_A3.2_FR_1"]
    assert one["statements"][0]["sources"]


def test_csv_has_the_digits_of_the_document() -> None:
    suite = (scenario("car_to_moving_car", speed="60"), false_reactions()[0])
    content = bench_csv.emit(checked(*suite), bench_csv.Options())[0].content.decode()
    first, second = csv.DictReader(content.splitlines())
    assert (first["criteria_max_impact_speed"], first["criteria_max_impact_speed_unit"]) == ("0.00", "km/h")
    assert (first["subject_test_speed"], first["subject_test_speed_plus"], first["subject_test_speed_minus"]) == ("60", "0", "2")
    assert Decimal(first["relative_speed"]) == 40
    assert "6.5" in first["subject_test_speed_source"]
    assert second["criteria_max_impact_speed"] == ""
