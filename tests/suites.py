"""A small suite made by hand: an invented document, two tests over an axis, a limit table, two cards, coverage of every fate, stages.

Test "stationary": 20 and 40 km/h towards a standing car, limits of a table, at maximum mass and mass in running order. Test "child":
25 km/h, a child crosses at 5 km/h behind a symbol for the set-up. No pipeline is involved; every number is typed once here.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from regc.model.criterion import Criterion, Event, Limit, LimitRow, LimitTable
from regc.model.document import Cell, Clause, Document, Footnote, Item, Reference, RefGraph, Table
from regc.model.report_input import RecordField, ReportInput
from regc.model.result import Finding
from regc.model.scenario import Actor, AxisValue, Card, Scenario, Statement
from regc.model.source import Bbox, SourceRef, Tolerance
from regc.model.stage import Assumption, Box, Change, Moment, Mover, Pose, Road, Stage, Staged
from regc.model.suite import Accounted, Coverage, Suite
from regc.model.value import Comparison, Stated, Value, Word

REGULATION, EDITION, STEM = "rx1", "01", "RX1-01"
HOSTILE = '</script><script>document.title="owned"</script><img src=x onerror=alert(1)> {{ 7 * 7 }} & "quoted"'
FORMULA = '=HYPERLINK("https://example.invalid","click")'

#: km/h -> limit at maximum mass, in running order
LIMITS = {"20": ("0.00", "0.00"), "40": ("10.00", "0.00")}
LOADS = {"max": "maximum mass", "run": "mass in running order"}

APPROACH = "The subject vehicle drives at 20 km/h or 40 km/h with a tolerance of +0/-2 km/h. The time to collision is at least 4 s."
WARNING = "The warning shall be given at the latest 0.8 s before the braking, unless the situation cannot be anticipated."
CHILD = "The child crosses at 5 km/h. The subject vehicle shall drive at 25 km/h."


def at(clause: str, quote: str, **more: Any) -> SourceRef:
    return SourceRef(regulation=REGULATION, edition=EDITION, wording="embedded", clause=clause, quote=quote, **more)


def cited(number: str, unit: str, source: SourceRef, **more: Any) -> Value:
    value = Decimal(number)
    return Value(lo=value, hi=value, unit=unit, sources=(source,), **more)


def document(*, title: str = "Limits", text: str = "", wording: str = "embedded") -> Document:
    """Five paragraphs below two chapters, a table with a mark and a rule, a footnote."""
    rows = tuple(
        (Cell(text=speed), Cell(text=limits[0], marks=("*",) if speed == "40" else ()), Cell(text=limits[1]))
        for speed, limits in LIMITS.items()
    )
    return Document(
        id=REGULATION,
        title="Invented regulation No. 1",
        edition=EDITION,
        wording=wording,  # type: ignore[arg-type]
        sha256="0" * 64,
        reader="markdown",
        source_name="invented.md",
        clauses=(
            Clause(region="body", number="5", title="Requirements"),
            Clause(
                region="body",
                number="5.2",
                title=title,
                text=f"The limits stand in a table. {text}".strip(),
                parent="5",
                tables=("5.2#1",),
            ),
            Clause(region="body", number="5.3", title=None, text=WARNING, parent="5", footnotes=("1",)),
            Clause(region="body", number="6", title="Tests"),
            Clause(
                region="body",
                number="6.4",
                title="Standing car",
                text=f"{APPROACH}\n(a) a first item;\n(b) a second item. See paragraph 5.2.",
                items=(
                    Item(path=("a",), number=1, lead="", text="(a) a first item;", start=len(APPROACH) + 1, end=len(APPROACH) + 18),
                    Item(path=("b",), number=1, lead="", text="(b) a second item.", start=len(APPROACH) + 19, end=len(APPROACH) + 37),
                ),
                parent="6",
            ),
            Clause(region="body", number="6.6", title=None, text=CHILD, parent="6"),
            Clause(region="Annex 1", number=None, title=FORMULA, text="Nothing."),
        ),
        tables=(
            Table(
                id="5.2#1",
                clause="5.2",
                caption="Impact speed, passenger cars",
                columns=(("Speed",), ("Limit", "maximum mass"), ("Limit", "mass in running order")),
                rows=rows,
                unit_note="All values in km/h",
                footnotes=("*",),
            ),
        ),
        footnotes=(
            Footnote(marker="*", table="5.2#1", text="* Only for vehicles with two axles.", anchors=("5.2#1",)),
            Footnote(marker="1", text="As agreed with the technical service.", anchors=("5.3",)),
        ),
    )


def graph() -> RefGraph:
    return RefGraph(
        document=REGULATION,
        nodes=("5", "5.2", "5.2#1", "5.3", "6", "6.4", "6.6", "Annex 1"),
        references=(
            Reference(source="6.4", target="5.2", kind="paragraph", quote="paragraph 5.2."),
            Reference(source="5.2", target="6.4", kind="paragraph", quote="paragraph 6.4"),
            Reference(source="5.3", target="Other Regulation No. 9", kind="external", quote="Regulation No. 9"),
        ),
    )


def limit_of(load: str, speed: str, *, page: int | None = None, bbox: Bbox | None = None) -> Value:
    column, text = list(LOADS).index(load), LIMITS[speed][list(LOADS).index(load)]
    label = f"Limit > {list(LOADS.values())[column]}"
    return cited(text, "km/h", at("5.2", text, table="5.2#1", row=speed, column=label, page=page, bbox=bbox), bound="le")


def stationary(speed: str = "20", load: str = "max", **changes: Any) -> Scenario:
    """A test towards a standing car. 40 km/h at maximum mass is an option; its tolerance is borrowed."""
    approach, further = at("6.4", APPROACH), speed == "40"
    stated = Tolerance(plus=Decimal(0), minus=Decimal(2), sources=(approach,), assumption="A861" if further else None)
    made = Scenario(
        id=f"{STEM}_p6.4_ST_{load}_{speed.zfill(3)}",
        regulation=REGULATION,
        edition=EDITION,
        wording="embedded",
        test="stationary",
        token="ST",
        title="Standing car",
        clause="6.4",
        status="option" if further else "mandatory",
        entry="further" if further else "prescribed",
        axes={"load": AxisValue(value=load, words=LOADS[load], sources=(at("5.2", LOADS[load], table="5.2#1"),))},
        manoeuvre="in_lane",
        bind={
            "subject": cited(speed, "km/h", approach, tolerance=stated),
            "target": cited("0", "km/h", approach),
            "ttc": cited("4", "s", approach, bound="ge"),
            "gap": Value(
                lo=Decimal("44.44"), hi=Decimal("44.44"), unit="m", basis="derived", formula="ttc * subject", sources=(approach,)
            ),
        },
        actors=(Actor(role="target", kind="car", sources=(approach,)),),
        require=(
            Criterion(
                label="impact",
                form="measure",
                signal="impact_speed",
                sign="<=",
                limit=Limit(value=limit_of(load, speed), table=f"limit:load={load}", key="subject"),
            ),
            Criterion(
                label="warning",
                form="before",
                a=Event(name="warning"),
                b=Event(name="braking"),
                by=cited("0.8", "s", at("5.3", WARNING), bound="ge"),
                unless=Stated(reason="the situation cannot be anticipated", sources=(at("5.3", WARNING),)),
                otherwise=Criterion(label="warning", form="before", a=Event(name="warning"), b=Event(name="braking")),
                sources=(at("5.3", WARNING),),
            ),
        ),
        conditions={"mass": Word(word=load, sources=(at("5.2", LOADS[load]),))},
        runs={"count": cited("2", "", at("6.4", "a second item"))},
        said=(Statement(text=APPROACH, sources=(approach,)),),
    )
    return made.model_copy(update=changes)


def child(**changes: Any) -> Scenario:
    """A child that crosses; where it starts is a symbol, and the test is asked only of fast vehicles."""
    source = at("6.6", CHILD)
    made = Scenario(
        id=f"{STEM}_p6.6_CH_025",
        regulation=REGULATION,
        edition=EDITION,
        wording="embedded",
        test="child",
        token="CH",
        title="Crossing child",
        clause="6.6",
        status="mandatory",
        manoeuvre="crossing",
        bind={
            "subject": cited("25", "km/h", source),
            "target": cited("5", "km/h", source),
            "set_up": Value(lo=None, hi=None, symbol="d_start", unit="m", sources=(source,)),
        },
        actors=(Actor(role="target", kind="child", sources=(source,)),),
        require=(Criterion(label="contact", form="never", a=Event(name="contact"), sources=(source,)),),
        applies_if=(
            Comparison(
                left=Value(lo=None, hi=None, symbol="v_design", unit="km/h", sources=(source,)),
                sign=">=",
                right=cited("25", "km/h", source),
            ),
        ),
        said=(Statement(text=CHILD, sources=(source,)),),
    )
    return made.model_copy(update=changes)


def cards() -> tuple[Card, ...]:
    step = Statement(text="Drive above 10 km/h for 15 s with the fault.", sources=(at("5.3", WARNING),))
    common = {"regulation": REGULATION, "edition": EDITION, "wording": "embedded"}
    return (
        Card(id=f"{STEM}_card_Fault", title="Fault, and its signal", kind="driving", clauses=("5.3",), steps=(step,), **common),
        Card(id=f"{STEM}_card_Papers", title="Papers", kind="review", clauses=("Annex 1",), steps=(step,), **common),
    )


def coverage(*tests: Scenario) -> Coverage:
    """Two tested sentences, one by card, told, external, waived and open; four tested cells, one open; a tested and an open rule."""
    ids, card = tuple(test.id for test in tests), cards()[0].id

    def entry(kind: str, clause: str, place: str, fate: str, used: tuple[str, ...] = (), reason: str = "") -> Accounted:
        return Accounted.model_validate(
            {
                "kind": kind,
                "clause": clause,
                "place": place,
                "text": f"Words at {place}.",
                "fate": fate,
                "used_by": used,
                "reason": reason,
            }
        )

    return Coverage(
        entries=(
            entry("sentence", "6.4", "6.4", "test", ids[:4]),
            entry("sentence", "6.6", "6.6", "test", ids[4:]),
            entry("sentence", "5.3", "5.3", "card", (card,)),
            entry("sentence", "6.4", "6.4(a)", "told", ids[:4]),
            entry("sentence", "5.3", "5.3 (2)", "external", (), "Regulation No. 9"),
            entry("sentence", "6.4", "6.4(b)", "waived", (), "a heading in the form of a sentence"),
            entry("sentence", "Annex 1", "Annex 1", "open"),
            *(entry("cell", "5.2", f"5.2#1 row {speed}, {load}", "test", (ids[0],)) for speed in LIMITS for load in LOADS.values()),
            entry("cell", "5.2", "5.2#1 row 60", "open"),
            entry("rule", "5.2", "5.2#1^*", "test", ids[:1]),
            entry("rule", "5.3", "5.3^1", "open"),
        ),
        cited=40,
        derived=4,
        assumed=3,
        borrowed=2,
    )


def suite(*tests: Scenario, **changes: Any) -> Suite:
    """All five tests, or those given."""
    made = tests or (*(stationary(speed, load) for load in LOADS for speed in LIMITS), child())
    tables = tuple(
        LimitTable(
            id=f"limit:load={load}",
            name="limit",
            table="5.2#1",
            axes={"load": load},
            rows=tuple(LimitRow(key=cited(speed, "km/h", at("5.2", speed)), limit=limit_of(load, speed)) for speed in LIMITS),
        )
        for load in LOADS
    )
    found = Finding(
        code="C102", severity="warning", message="5.3: a sentence is told and steers nothing", source=at("5.3", WARNING), hint="bind it"
    )
    whole = Suite(
        regulation=REGULATION,
        edition=EDITION,
        wording="embedded",
        title="Invented regulation No. 1",
        stem=STEM,
        document_sha256="0" * 64,
        source_name="invented.md",
        scenarios=made,
        tables=tables,
        cards=cards(),
        coverage=coverage(*made),
        findings=(found,),
    )
    return whole.model_copy(update=changes)


def mover(role: str, form: str, start: Pose, speed: float, **more: Any) -> Mover:
    size = {"car": (4.5, 1.8, 3.6), "pedestrian": (0.5, 0.5, 0.25)}[form]
    box = Box(length=size[0], width=size[1], height=1.5, front=size[2])
    return Mover(role=role, kind=form, model=form, form=form, box=box, start=start, speed=speed, **more)  # type: ignore[arg-type]


def stage(test: Scenario, *, brakes: bool = False) -> Stage:
    """In lane: standing car 80 m ahead of the subject's front. Crossing: a child from the right. `brakes`: 5 m/s2 at TTC 2 s."""
    bound = test.number("subject")
    assert bound is not None
    speed = float(bound.number) / 3.6
    crossing = test.manoeuvre == "crossing"
    if crossing:
        waits = Moment(kind="ttc", of="subject", to="impact", value=4.0)
        target = mover("target", "pedestrian", Pose(x=60.0, y=-5.0 / 3.6 * 4, heading=1.5707963), 5.0 / 3.6, begins=waits)
    else:
        target = mover("target", "car", Pose(x=84.5, y=0.0), 0.0)
    functional = Moment(kind="ttc", of="subject", to="impact" if crossing else "target", value=4.0)
    braking = Change(
        name="brakes", when=Moment(kind="ttc", of="subject", to="impact" if crossing else "target", value=2.0), speed=0.0, rate=5.0
    )
    return Stage(
        scenario=test.id,
        regulation=test.regulation,
        edition=test.edition,
        wording=test.wording,
        clause=test.clause,
        manoeuvre=test.manoeuvre,
        title=test.title,
        status=test.status,
        road=Road(kind="straight", length=200.0, lane_width=3.5),
        subject=mover("subject", "car", Pose(x=0.0, y=0.0), speed),
        others=(target,),
        driver=(braking,) if brakes else (),
        impact=Pose(x=60.0, y=0.0) if crossing else None,
        functional_part=functional,
        end=(
            Moment(kind="contact", of="subject", to="target"),
            Moment(kind="standstill", of="subject"),
            Moment(kind="time", value=30.0),
        ),
        assumed=(
            Assumption(
                code="A801", what="length of the subject vehicle", value="4.5 m", key="vehicles.toml: M1.length", reason="a common car"
            ),
        ),
    )


def staged(made: Suite, *, brakes: bool = False) -> Staged:
    return Staged(stages=tuple(stage(test, brakes=brakes) for test in made.scenarios), left_out={})


def report(*tests: Scenario, made: Suite | None = None, **changes: Any) -> ReportInput:
    """A report on the suite, with drawings."""
    whole = made or suite(*tests)
    found = ReportInput(
        document=document(),
        graph=graph(),
        suite=whole,
        staged=staged(whole),
        reference=staged(whole, brakes=True),
        texts={test.id: f"# {test.title}\n\n## Approach\n\n- Drive.\n" for test in whole.scenarios},
        record=(RecordField(key="fuel", label="Fuel level", clause="6.4", anchor="tolerance"),),
        official_texts="the Office for Inventions",
    )
    return found.model_copy(update=changes)
