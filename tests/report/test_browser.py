"""The report in a headless Chromium: filter, sort, open, follow a number, play, keyboard, print, contrast and labels."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from regc.pipeline.request import Compiled
from regc.report import html
from regc.report.diff import diff
from regc.report.diff import page as diff_page
from tests import suites
from tests.report.browser import axe_source, chromium
from tests.report.inputs import judgement, real

SECTIONS = (
    "summary",
    "scenarios",
    "limits",
    "trace",
    "coverage",
    "findings",
    "references",
    "evaluation",
    "record",
    "forms",
    "provenance",
)
HOSTILE = suites.HOSTILE
IN_LANE, CROSSING = "UNR152-02_p6.4_CtoStC_M1_MaxMass_042", "UNR152-02_p6.7.1_CtoB_N1_MaxMass_045"
MANOEUVRE = "UNR152-02_A3App2-1.2_FR_S1-IntersectionTurn"
CURVE = "UNR152-02_A3App2-3.2_FR_S3-CurveGuardPipe"
SHARE = {"precision": 1.0, "recall": 0.5, "f1": 2 / 3, "tp": 1, "fp": 0, "fn": 1}
SCORES = {"overall": SHARE, "families": {"CtoP": SHARE}, "meta_score": 71.5, "misses": []}

Script = Callable[..., Any]


@pytest.fixture(scope="session")
def driver() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def report(embedded: Compiled, tmp_path_factory: pytest.TempPathFactory) -> Path:
    ids = [item.id for item in embedded.suite.scenarios[:20]]
    found = real(embedded, judgement=judgement(ids), evaluation=SCORES)
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_bytes(html.emit(found, html.Options())[0].content)
    return path


@pytest.fixture(scope="session")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on the suite made by hand."""
    path = tmp_path_factory.mktemp("by_hand") / "report.html"
    path.write_bytes(html.emit(suites.report(), html.Options())[0].content)
    return path


@pytest.fixture
def page(driver: Any, report: Path) -> Iterator[Any]:
    """The report opened from its file path; afterwards: no console message, no request but for the file itself."""
    yield from opened(driver, report)


def opened(driver: Any, path: Path) -> Iterator[Any]:
    size(driver, 1280)
    driver.get("about:blank")
    for kind in ("browser", "performance"):
        driver.get_log(kind)
    driver.get(path.as_uri())
    yield driver
    assert driver.get_log("browser") == []
    asked = [
        message["params"]["request"]["url"]
        for entry in driver.get_log("performance")
        if (message := json.loads(entry["message"])["message"])["method"] == "Network.requestWillBeSent"
    ]
    assert [url for url in asked if not url.startswith(("data:", path.as_uri()))] == []


def size(driver: Any, width: int, *, dark: bool = False) -> None:
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    features = [
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def go(page: Any, name: str) -> None:
    page.execute_script("location.hash = arguments[0]", name)
    wait(page, "return location.hash.slice(1) === arguments[0] && document.querySelectorAll('.view:not([hidden])').length === 1", name)


def wait(page: Any, script: str, *arguments: object, seconds: float = 5) -> Any:
    """The first true value of a script; fails after `seconds`."""
    end = time.monotonic() + seconds
    while True:
        found = page.execute_script(script, *arguments)
        if found:
            return found
        assert time.monotonic() < end, script
        time.sleep(0.03)


def shown(page: Any) -> list[str]:
    found: list[str] = page.execute_script("return R.listed()")
    return found


def find(page: Any, selector: str) -> Any:
    return page.find_element("css selector", selector)


def choose(page: Any, selector: str, text: str) -> None:
    from selenium.webdriver.support.ui import Select

    Select(find(page, selector)).select_by_visible_text(text)


def test_opens_with_the_summary_and_little_else(page: Any, report: Path) -> None:
    """What opening costs: bytes, elements, and that what is not shown is not laid out. How long it takes: bench/report.py."""
    assert report.stat().st_size < 5_000_000
    assert page.execute_script("return document.querySelectorAll('*').length") < 20_000
    laid_out = page.execute_script(
        "return [...document.querySelectorAll('.view')].filter(v => v.getClientRects().length).map(v => v.id)"
    )
    assert laid_out == ["summary"]
    assert page.execute_script("return document.getElementById('scenario-body').children.length") == 0


@pytest.mark.parametrize("width", [1400, 1000, 400])
def test_no_table_of_scenarios_or_tests_is_cut_off(page: Any, width: int) -> None:
    size(page, width)
    regions = {"summary": "Tests", "scenarios": "Scenario table"}
    for name, label in regions.items():
        go(page, name)
        script = "const r = document.querySelector(`[aria-label='${arguments[0]}']`); return [r.scrollWidth, r.clientWidth]"
        needed, room = page.execute_script(script, label)
        assert needed <= room, (name, width)


def test_filter_search_and_reset(page: Any, embedded: Compiled) -> None:
    go(page, "scenarios")
    everything = shown(page)
    assert everything == [item.id for item in embedded.suite.scenarios]
    choose(page, "#f-test", "Bicycle")
    choose(page, "#f-axis0", "N1")
    expected = [item.id for item in embedded.suite.scenarios if item.test == "bicycle" and item.axes["category"].value == "N1"]
    assert shown(page) == expected
    find(page, "#f-text").send_keys("045")
    assert shown(page) == [id for id in expected if "045" in id]
    assert find(page, "#shown").text == f"{len(shown(page))} of 184 scenarios"
    find(page, "#filters button[type=reset]").click()
    wait(page, "return R.listed().length === 184")


def test_filter_by_verdict(page: Any) -> None:
    go(page, "scenarios")
    choose(page, "#f-verdict", "fail")
    assert len(shown(page)) == 20


def test_sort_by_numbers_both_ways(page: Any) -> None:
    go(page, "scenarios")
    for order in ("ascending", "descending"):
        find(page, "#scenario-table th:nth-child(6) button").click()
        assert find(page, "#scenario-table th:nth-child(6)").get_attribute("aria-sort") == order
        script = "return [...document.querySelectorAll('#scenario-table tbody tr')].map(row => Number(row.cells[5].dataset.sort))"
        speeds = page.execute_script(script)
        assert speeds == sorted(speeds, reverse=order == "descending")


def test_open_a_scenario_and_go_on_through_the_filtered_list(page: Any) -> None:
    go(page, "scenarios")
    choose(page, "#f-test", "Bicycle")
    ids = shown(page)
    find(page, f"tr[data-id='{ids[0]}'] a").click()
    wait(page, "return document.getElementById('h-scenario').textContent === arguments[0]", ids[0])
    assert page.execute_script("return document.activeElement.id") == "h-scenario"
    page.find_element("link text", "Next").click()
    wait(page, "return document.getElementById('h-scenario').textContent === arguments[0]", ids[1])


def test_follow_a_limit_to_its_cell(page: Any, embedded: Compiled) -> None:
    go(page, f"scenario/{IN_LANE}")
    find(page, "tr[data-field='require.impact.limit'] button").click()
    cell = find(page, "#panel .source-table td.cell")
    limit = next(item for item in embedded.suite.scenarios if item.id == IN_LANE).require[0].limit
    assert limit is not None
    source = limit.value.sources[0]
    assert cell.text == f"{limit.value.number:f}" == source.quote
    row = cell.find_element("xpath", "..")
    assert row.find_element("css selector", "td").text == source.row
    lit = [head.text for head in page.find_elements("css selector", "#panel th.head")]
    assert " > ".join(lit) == source.column


def test_follow_a_time_to_its_words(page: Any) -> None:
    go(page, f"scenario/{IN_LANE}")
    find(page, "tr[data-field='bind.ttc'] button").click()
    assert find(page, "#panel mark.strong").text.startswith("4")
    assert find(page, "#panel mark.strong").is_displayed()


def test_panel_closes_by_key_and_gives_the_focus_back(page: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    go(page, f"scenario/{IN_LANE}")
    button = find(page, "tr[data-field='bind.ttc'] button")
    button.send_keys(Keys.ENTER)
    assert page.execute_script("return document.getElementById('panel').open")
    assert page.execute_script("return document.activeElement.id") == "panel-title"
    find(page, "#panel-title").send_keys(Keys.ESCAPE)
    wait(page, "return !document.getElementById('panel').open")
    assert page.execute_script("return document.activeElement === arguments[0]", button)


def where(page: Any, role: str) -> str:
    found: str = page.execute_script("return document.querySelector(`[data-role=${arguments[0]}]`).getAttribute('transform')", role)
    return found


@pytest.mark.parametrize("id", [IN_LANE, CROSSING, MANOEUVRE, CURVE])
def test_play_moves_and_stops(page: Any, id: str) -> None:
    """False reactions are played as all other tests."""
    go(page, f"scenario/{id}")
    start = where(page, "subject")
    find(page, "#play").click()
    wait(page, "return arguments[0] !== document.querySelector('[data-role=subject]').getAttribute('transform')", start)
    find(page, "#play").click()
    stopped = where(page, "subject")
    time.sleep(0.15)
    assert where(page, "subject") == stopped
    assert find(page, "#play").text == "Play"


def readout(page: Any) -> dict[str, str]:
    found: dict[str, str] = page.execute_script(
        "return Object.fromEntries([...document.querySelectorAll('#readout div')].map(d => [...d.children].map(c => c.textContent)))"
    )
    return found


def at(page: Any, seconds: float) -> dict[str, str]:
    """The readout at a time of the drawing."""
    page.execute_script(
        "const s = document.querySelector('.controls input'); s.value = arguments[0]; s.dispatchEvent(new Event('input'))", seconds
    )
    return readout(page)


def test_motion_worked_by_hand(driver: Any, by_hand: Path) -> None:
    """40 km/h = 11.111 m/s towards a car whose rear is 80 m before the front: 4 s before contact 44.4 m, contact after 7.2 s."""
    for page in opened(driver, by_hand):
        go(page, f"scenario/{suites.stationary('40').id}")
        begin = readout(page)
        assert (begin["Phase"], begin["TTC"], begin["Distance"]) == ("functional part begins", "4.00 s", "44.4 m")
        start = at(page, 0)
        assert (start["Phase"], start["Distance"], start["Subject vehicle"]) == ("approach", "80.0 m", "40.0 km/h")
        end = at(page, 60)
        assert (end["Phase"], end["TTC"], end["Impact / limit"]) == ("contact", "–", "40.0 km/h / 10.0 km/h")
        choose(page, ".controls select", "a model that meets the requirements")
        braked = at(page, 60)
        assert (braked["Subject vehicle"], braked["Impact / limit"]) == ("0.0 km/h", "– / 10.0 km/h")


@pytest.mark.parametrize("width", [400, 1400])
def test_everybody_is_in_the_picture_at_any_time(page: Any, width: int) -> None:
    size(page, width)
    for id in (IN_LANE, CROSSING, MANOEUVRE, CURVE):
        go(page, f"scenario/{id}")
        for share in (0, 0.3, 0.6, 1):
            page.execute_script(
                "const s = document.querySelector('.controls input'); s.value = s.max * arguments[0];"
                "s.dispatchEvent(new Event('input'))",
                share,
            )
            outside = page.execute_script(
                "const frame = document.querySelector('.scene').getBoundingClientRect();"
                "return [...document.querySelectorAll('.scene [data-role]')].filter(node => {"
                "const b = node.getBoundingClientRect();"
                "return b.left < frame.left || b.right > frame.right || b.top < frame.top || b.bottom > frame.bottom"
                " || Math.max(b.width, b.height) < 4; }).map(node => node.dataset.role)"
            )
            assert outside == [], (id, share)


def test_conditions_and_requirements_of_a_test_are_told(driver: Any, by_hand: Path) -> None:
    for page in opened(driver, by_hand):
        go(page, f"scenario/{suites.child().id}")
        body = find(page, "#scenario-body").text
        assert "Only where v_design is at least 25 km/h" in body
        assert "No contact" in body
        go(page, f"scenario/{suites.stationary('40').id}")
        assert "A861 Numbers of the test: Subject vehicle, tolerance +0/-2 km/h" in find(page, "#scenario-body").text


def test_count_of_a_test_opens_its_scenarios(driver: Any, by_hand: Path) -> None:
    for page in opened(driver, by_hand):
        go(page, "trace")
        find(page, "button[data-trace='6.4'][data-test='Stationary']").click()
        assert find(page, "#panel-title").text == "4 scenarios of Stationary rest on 6.4"


def test_verdict_of_a_scenario_with_its_checks(page: Any, embedded: Compiled) -> None:
    go(page, f"scenario/{embedded.suite.scenarios[0].id}")
    find(page, "#scenario-body details summary").click()
    assert "12 km/h" in find(page, "#scenario-body details").text


def test_matrix_opens_the_scenarios_of_a_paragraph(page: Any, embedded: Compiled) -> None:
    go(page, "trace")
    find(page, "button[data-trace='6.4']").click()
    listed = [link.text for link in page.find_elements("css selector", "#panel .list a")]
    assert {item.id for item in embedded.suite.scenarios if item.clause == "6.4"} <= set(listed)
    assert str(len(listed)) == find(page, "button[data-trace='6.4']").text


def test_graph_zooms_pans_and_opens_by_key(page: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    go(page, "references")
    before = find(page, "#graph").get_dom_attribute("viewBox")
    find(page, "[data-zoom=in]").click()
    zoomed = find(page, "#graph").get_dom_attribute("viewBox")
    assert float(zoomed.split()[2]) < float(before.split()[2])
    find(page, "[data-zoom=fit]").click()
    node = find(page, "#graph [data-node]")
    page.execute_script("arguments[0].focus()", node)
    node.send_keys(Keys.ARROW_DOWN)
    assert page.execute_script("return document.activeElement.dataset.node") not in (None, node.get_attribute("data-node"))
    page.switch_to.active_element.send_keys(Keys.ENTER)
    assert page.execute_script("return document.getElementById('panel').open")


def test_old_hash_and_unknown_hash_are_harmless(page: Any) -> None:
    for name in ("scenario/NONE", "nothing", "panel"):
        page.execute_script("location.hash = arguments[0]", name)
        wait(page, "return document.querySelectorAll('.view:not([hidden])').length === 1")
    assert find(page, "#summary").is_displayed()


def test_prints_every_section(driver: Any, small: Path) -> None:
    for page in opened(driver, small):
        pdf = base64.b64decode(page.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
    pypdfium2 = pytest.importorskip("pypdfium2")
    document = pypdfium2.PdfDocument(pdf)
    text = "\n".join(sheet.get_textpage().get_text_range() for sheet in document)
    for heading in (
        "Summary",
        "Procedure cards",
        "Limits by speed",
        "Traceability",
        "Coverage",
        "Record sheet",
        "Forms",
        "Provenance",
        "Signatures",
    ):
        assert heading in text
    assert IN_LANE in text.replace("\r", "").replace("\n", "")  # a narrow column breaks an id after an underscore
    assert len(document) < 40


@pytest.fixture(scope="session")
def small(embedded: Compiled, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same report with three scenarios and two cards, since axe-core looks at every element."""
    ids = (IN_LANE, CROSSING, MANOEUVRE)
    few = tuple(item for item in embedded.suite.scenarios if item.id in ids)
    entries = (*embedded.suite.coverage.entries[:8], *suites.coverage(*few).entries)
    short = embedded.suite.coverage.model_copy(update={"entries": entries})
    changes = {"scenarios": few, "coverage": short, "findings": embedded.suite.findings[:8], "cards": suites.cards()}
    suite = embedded.suite.model_copy(update=changes)
    found = real(embedded.model_copy(update={"suite": suite}), judgement=judgement(ids[:2]), evaluation=SCORES)
    path = tmp_path_factory.mktemp("small") / "report.html"
    path.write_bytes(html.emit(found, html.Options())[0].content)
    return path


@pytest.mark.parametrize("width", [390, 820, 1280])
def test_no_section_is_wider_than_the_window(driver: Any, small: Path, width: int) -> None:
    for page in opened(driver, small):
        size(page, width)
        for name in (*SECTIONS, "cards", f"scenario/{IN_LANE}", f"scenario/{CROSSING}", f"scenario/{MANOEUVRE}"):
            go(page, name)
            assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth"), name


def test_axe_finds_nothing(driver: Any, small: Path) -> None:
    """The distinct states of the page: all sections at once, three scenarios, both kinds of place in the panel."""
    for page in opened(driver, small):
        page.execute_script(axe_source())
        go(page, f"scenario/{IN_LANE}")
        show_all(page)
        _no_violations(page)
        go(page, f"scenario/{MANOEUVRE}")
        _no_violations(page, "#scenario")
        go(page, f"scenario/{IN_LANE}")
        for field in ("require.impact.limit", "bind.ttc"):
            find(page, f"tr[data-field='{field}'] button").click()
            _no_violations(page, "#panel")
            find(page, "#panel-close").click()


def test_contrast_in_dark_mode_on_a_narrow_screen(driver: Any, small: Path) -> None:
    """Dark mode differs in colours alone."""
    for page in opened(driver, small):
        size(page, 390, dark=True)
        page.execute_script(axe_source())
        go(page, f"scenario/{IN_LANE}")
        show_all(page)
        _no_violations(page, contrast_only=True)
        find(page, "tr[data-field='require.impact.limit'] button").click()
        _no_violations(page, "#panel", contrast_only=True)


def show_all(page: Any) -> None:
    page.execute_script("for (const view of document.querySelectorAll('.view')) view.hidden = false")


def _no_violations(page: Any, part: str = "html", *, contrast_only: bool = False) -> None:
    found = page.execute_async_script(
        "const [part, only, done] = arguments; const options = {resultTypes: ['violations']};"
        "if (only) options.runOnly = ['color-contrast'];"
        "axe.run(part, options).then(r => done(r.violations.map(v => "
        "v.id + ': ' + v.nodes.slice(0, 3).map(n => n.target + ' ' + n.failureSummary).join('; '))))",
        part,
        contrast_only,
    )
    assert found == [], part


def test_hostile_text_does_nothing(driver: Any, tmp_path: Path) -> None:
    one = suites.stationary(title=HOSTILE, axes={"load": suites.AxisValue(value="x", words=HOSTILE)})
    table = f"| a |\n|---|\n| {HOSTILE} |\n"
    texts = {one.id: f"# T\n\n- {HOSTILE}\n> {HOSTILE}\n\n## {HOSTILE}\n\n{table}"}
    document = suites.document(text=HOSTILE)
    found = suites.report(one, document=document, texts=texts, judgement=judgement([one.id]))
    path = tmp_path / "report.html"
    path.write_bytes(html.emit(found, html.Options())[0].content)
    for page in opened(driver, path):
        for name in ("scenarios", "trace", f"scenario/{one.id}"):
            go(page, name)
        find(page, "tr[data-field='require.impact.limit'] button").click()
        assert HOSTILE in find(page, "#panel").text
        assert page.title != "owned"
        assert page.find_elements("css selector", "#main img, #panel-body img[src='x']") == []


def test_diff_page(driver: Any, tmp_path: Path) -> None:
    path = tmp_path / "diff.html"
    one = suites.stationary()
    changed = one.model_copy(update={"runs": {}})
    path.write_bytes(diff_page(diff(suites.suite(one, suites.stationary("40")), suites.suite(changed, suites.child()))))
    axe = axe_source()
    for page in opened(driver, path):
        page.find_element("xpath", "//th/button[text()='Tests']").click()
        for dark in (False, True):
            size(page, 1280, dark=dark)
            page.execute_script(axe)
            _no_violations(page, contrast_only=dark)
