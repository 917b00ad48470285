"""The front page of a build for who receives the folder: what lies in it, how each part starts, how results come back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import PurePosixPath
from typing import Any

from markupsafe import Markup

from regc import wording
from regc.model.result import Artifact
from regc.model.stage import Stage, Staged
from regc.model.suite import Suite
from regc.report.drawing import Drawing, Line, drawing, outline
from regc.report.overview import coverage_of, titles_of
from regc.report.page_templates import environment, raw
from regc.tomlfiles import packaged

#: Files beside the folders, and what they are.
MACHINE = (
    ("scenarios.json", "the tests as data, with the limit tables that a judge reads"),
    ("coverage.json", "what became of each sentence, cell, mark and rule of the document"),
    ("findings.json", "what was found on the way: doubts, assumptions, losses"),
    ("manifest.json", "what the build was made from, and the SHA-256 of every file"),
)
#: Width of a picture in its own units; metres are scaled to it.
_WIDE = 900.0
_COLOURS = {"subject": "#0b57a4", "target": "#b4451a"}
_OTHER, _ROAD, _LANE = "#5c4a8a", "#d4d9df", "#ffffff"


@dataclass(frozen=True)
class FrontPage:
    """A folder of the build. `start`, `back`: commands."""

    path: str
    title: str
    what: str
    files: int
    start: tuple[str, ...]
    note: str
    back: tuple[str, ...]


@dataclass(frozen=True)
class Shown:
    """A test of the front page. `picture`: its path, blank where the test has no stage; `file`: a file of it to look at first."""

    title: str
    clauses: str
    count: int
    statuses: str
    picture: str
    says: str


def front_page(
    suite: Suite, artifacts: Sequence[Artifact] | Iterable[str], pictures: Mapping[str, bytes], *, kept: Iterable[str] = ()
) -> dict[str, bytes]:
    """index.html, README.md and pictures/TEST.svg by path. `artifacts`: those of the build, or their paths; `pictures`: of tests;
    `kept`: paths of earlier builds that stay in the folder."""
    paths = sorted({*(item.path if isinstance(item, Artifact) else item for item in artifacts), *kept})
    values: dict[str, Any] = {
        "suite": suite,
        "folders": folders_of(paths, frozenset(scenario.id for scenario in suite.selected if scenario.status == "mandatory")),
        "tests": _tests(suite, pictures),
        "machine": MACHINE,
        "coverage": coverage_of(suite),
        "has_report": "report/report.html" in paths,
        "cards": len(suite.cards),
    }
    made = environment(None)
    page = made.get_template("front/index.html.j2").render(style=Markup(raw(None, "style.css")), **values)
    plain = environment(None).overlay(autoescape=False)
    readme = plain.get_template("front/README.md.j2").render(**values)
    return {
        "index.html": page.encode(),
        "README.md": readme.encode(),
        **{f"pictures/{test}.svg": content for test, content in pictures.items()},
    }


def pictures_of(suite: Suite, staged: Staged) -> dict[str, bytes]:
    """A picture of each test that has a stage, as SVG."""
    return {test: picture(stage) for test, stage in first_stages(suite, staged).items()}


def folders_of(paths: Sequence[str], prescribed: frozenset[str] = frozenset()) -> tuple[FrontPage, ...]:
    """The folders of a build that are known, in the order of `data/receivers.toml`; the file that shows how one starts is of a
    prescribed test where there is one."""
    known: dict[str, dict[str, Any]] = packaged("data", "receivers.toml")
    pages = []
    for name, told in known.items():
        own = [path for path in paths if path.startswith(f"{name}/")]
        if not own:
            continue
        runs = [path for path in own if path.startswith(told["example"]) and _runs(path)]
        file = next((path for path in runs if PurePosixPath(path).stem in prescribed), (runs or own)[0])
        stem = PurePosixPath(file).stem
        if all(path.startswith(f"{name}/not_driven/") for path in own):
            pages.append(FrontPage(name, told["title"], wording.term("front", "not_driven"), len(own), (), "", ()))
            continue
        fill = [[command.format(file=file, stem=stem) for command in told[key]] for key in ("start", "back")]
        pages.append(FrontPage(name, told["title"], told["what"], len(own), tuple(fill[0]), told.get("note", ""), tuple(fill[1])))
    return tuple(pages)


def _runs(path: str) -> bool:
    """Whether a file is one that is run, not what stands beside it."""
    return PurePosixPath(path).suffix in (".xosc", ".md", ".csv", "") or path.startswith(("carla/configs/", "bench/"))


def _tests(suite: Suite, pictures: Mapping[str, bytes]) -> tuple[Shown, ...]:
    shown, titles = [], titles_of(suite)
    for test in dict.fromkeys(scenario.test for scenario in suite.selected):
        own = [scenario for scenario in suite.selected if scenario.test == test]
        counts = Counter(wording.term("status_short", scenario.status) for scenario in own)
        shown.append(
            Shown(
                title=titles[test],
                clauses=", ".join(dict.fromkeys(scenario.clause for scenario in own)),
                count=len(own),
                statuses=", ".join(f"{count} {name}" for name, count in counts.items()),
                picture=f"pictures/{test}.svg" if test in pictures else "",
                says=wording.term("manoeuvre", own[0].manoeuvre),
            )
        )
    return tuple(shown)


def first_stages(suite: Suite, staged: Staged) -> dict[str, Stage]:
    """For every test a stage to draw: of a prescribed one, else of any."""
    by_scenario: dict[str, Stage] = {}
    for stage in (*staged.logical, *reversed(staged.stages)):
        by_scenario[stage.scenario] = stage
    first: dict[str, Stage] = {}
    for scenario in sorted(suite.selected, key=lambda one: one.status != "mandatory"):
        if scenario.id in by_scenario:
            first.setdefault(scenario.test, by_scenario[scenario.id])
    return first


def picture(stage: Stage) -> bytes:
    """A top view of a test where the functional part begins: where all stand, the way each will go, and as outlines where they end,
    or touch each other."""
    drawn = drawing(stage)
    start = drawn.functional if drawn.functional is not None else 0.0
    end = drawn.contact[0] if drawn.contact else drawn.end
    ends = [[drawn_mover.at(time) for drawn_mover in drawn.movers] for time in (start, end)]
    corners = [point for poses in ends for mover, pose in zip(drawn.movers, poses, strict=True) for point in outline(mover.box, pose)]
    west, east = min(x for x, _ in corners) - 3, max(x for x, _ in corners) + 3
    south, north = min(y for _, y in corners) - 2.5, max(y for _, y in corners) + 2.5
    scale = _WIDE / (east - west)
    height = max((north - south) * scale, 120.0)
    middle = (south + north) / 2

    def at(points: Line) -> str:
        return " ".join(f"{(x - west) * scale:.1f},{height / 2 - (y - middle) * scale:.1f}" for x, y in points)

    parts = [f'<polygon points="{at(shape)}" fill="{_ROAD}"/>' for shape in drawn.surface]
    for pattern, points in drawn.lines:
        dashes = ' stroke-dasharray="14 10"' if pattern == "broken" else ""
        parts.append(f'<polyline points="{at(points)}" fill="none" stroke="{_LANE}" stroke-width="2"{dashes}/>')
    for number, mover in reversed(list(enumerate(drawn.movers))):
        colour = _COLOURS.get(mover.role if number else "subject", _OTHER)
        way = tuple((pose.x, pose.y) for pose in (mover.at(start + (end - start) * step / 40) for step in range(41)))
        parts.append(f'<polyline points="{at(way)}" fill="none" stroke="{colour}" stroke-width="1.5" stroke-dasharray="3 4"/>')
        last, now = outline(mover.box, ends[1][number]), outline(mover.box, ends[0][number])
        parts.append(f'<polygon points="{at(last)}" fill="none" stroke="{colour}" stroke-width="1.2" stroke-dasharray="4 3"/>')
        parts.append(
            f'<polygon points="{at(now)}" fill="{colour}" stroke="{colour}" stroke-width="3" stroke-linejoin="round">'
            f"<title>{escape(mover.name)}</title></polygon>"
        )
    told = f"{stage.title}: top view, {_seconds(drawn, start)}; {east - west:.0f} m wide"
    parts.append(_label(f"{east - west:.0f} m", height))
    inside = "\n".join(parts)
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE:.0f} {height:.0f}" role="img">\n'
        f"<title>{escape(told)}</title>\n{inside}\n</svg>\n"
    )
    return text.encode()


def _seconds(drawn: Drawing, start: float) -> str:
    return "the functional part begins" if drawn.functional is not None else f"after {start:.1f} s"


def _label(text: str, height: float) -> str:
    """How many metres the picture is wide."""
    y = height - 10
    return (
        f'<path d="M10 {y:.0f}H{_WIDE - 10:.0f}M10 {y - 4:.0f}v8M{_WIDE - 10:.0f} {y - 4:.0f}v8" stroke="#55606e" fill="none"/>'
        f'<text x="{_WIDE / 2:.0f}" y="{y - 5:.0f}" font-family="sans-serif" font-size="13" fill="#55606e" text-anchor="middle">'
        f"{text}</text>"
    )
