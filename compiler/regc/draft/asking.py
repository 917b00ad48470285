"""What rules leave open, asked of a language model: which drive a clause prescribes, what a number is, what a column is, which sentence
says what must happen and in which form, which words name a number. Each answer is compiled at once, over the document as it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from regc.choices.question import NONE, Question, Questioner, labelled
from regc.choices.slots import meaning, meanings
from regc.draft.addresses import Sentence, number_places, relative, said_place
from regc.draft.finding import DraftTest
from regc.draft.outline import Outline
from regc.lang.citation import words_of_sentence
from regc.lang.places import Reader
from regc.lang.vocabulary import vocabulary
from regc.lang.words import Measurement
from regc.model.document import Clause, Table

#: Numbers of one clause that are asked after at most, and letters of a passage that a question shows.
_NUMBERS, _SHOWN = 12, 600
#: What a requirement may ask without a number: predicate -> in words.
_FORMS = {
    "no contact": "the collision shall be avoided",
    "no braking": "the system shall not brake",
    "no warning": "the system shall not warn",
    "no line_crossed": "no line of the lane shall be crossed",
    "warning before braking": "a warning shall be given before the emergency braking",
    "warning": "a warning shall be given",
    "braking": "the system shall brake",
    "lane_change": "a lane change shall be made",
}

#: What the compiler says of a test as it stands; "" where it takes it, or where only other things are still missing.
Compiled = Callable[[], str]


@dataclass
class Asking:
    """The questions of one draft."""

    questioner: Questioner
    outline: Outline
    reader: Reader

    @property
    def mark(self) -> str:
        """What stands behind each line that the model chose."""
        return f"chosen by {self.questioner.name}"

    def manoeuvre(self, home: Clause) -> str:
        """The drive that a clause prescribes, "" for none of the vocabulary's."""
        names = [name for name in meanings()["manoeuvre"] if name in vocabulary().manoeuvres]
        said = dict(zip(labelled(len(names)), names, strict=True))
        text = " ".join(self.outline.text(home.id).split())[:_SHOWN]
        question = Question(
            f"{home.id} manoeuvre",
            f'A clause with the title "{home.title or ""}" says: {text}\n\nWhich drive does it prescribe?',
            {label: meaning("manoeuvre", name) for label, name in said.items()},
        )
        return said.get(self.questioner.ask(question), "")

    def column(self, table: Table, head: str, cells: list[str], names: tuple[str, ...]) -> str:
        """What the numbers of a column are, of the bindings that its unit allows; "" for none."""
        said = dict(zip(labelled(len(names)), names, strict=True))
        question = Question(
            f"{table.id} column {head}"[:80],
            f'A table "{table.caption or ""}" lists tests. Its column "{head}" holds: {"; ".join(cells[:4])}. What is it?',
            {label: meaning("bind", name.removeprefix("tol.")) for label, name in said.items()},
        )
        return said.get(self.questioner.ask(question), "")

    # ------------------------------------------------------------ one test

    def complete(self, test: DraftTest, compiled: Compiled) -> None:
        """Bind what the numbers of a test's clause are, and find what it must show where the rules found nothing."""
        data = test.data
        held = {name: data.setdefault(name, {}) for name in ("bind", "tol", "conditions", "require")}
        if test.unit.asked:
            test.notes.append(f"manoeuvre: {self.mark}")
        self._actors(test)
        count = 0
        for sentence, number, dimension in self._unread(test):
            if count == _NUMBERS:
                break
            count += self._number(test, sentence, number, dimension, compiled)
        if not held["require"]:
            self._requirement(test, compiled)
        for name in held:
            if not data[name]:
                data.pop(name)

    def _actors(self, test: DraftTest) -> None:
        """Ask who plays a role that the drive needs, and which sentence names him."""
        roles = vocabulary().manoeuvres[test.unit.manoeuvre].roles
        held = test.data.get("actors", {})
        for role in (role for role, needed in roles.items() if needed and role not in held):
            kinds = dict(zip(labelled(len(vocabulary().actors)), vocabulary().actors, strict=True))
            text = " ".join(self.outline.text(test.unit.at).split())[:_SHOWN]
            who = f"{test.unit.title}: {text}\n\nWho is the {role} in this test?"
            kind = kinds.get(self.questioner.ask(Question(f"{test.unit.at} {role}", who, kinds)))
            pool = [s for s in self.outline.sentences(test.unit.at) if self._cited(s)][:_NUMBERS]
            if kind is None or not pool:
                continue
            shown = dict(zip(labelled(len(pool)), pool, strict=True))
            which = Question(
                f"{test.unit.at} {role} named",
                f"Which sentence names the {role}, a {kind.replace('_', ' ')}?",
                {label: " ".join(sentence.text.split())[:300] for label, sentence in shown.items()},
            )
            sentence = shown.get(self.questioner.ask(which))
            if sentence is not None:
                held[role] = f"{kind} {relative(self._cited(sentence) or '', test.unit.at)}"
                test.notes.append(f"actors.{role}: {self.mark}")
        if held:
            test.data["actors"] = held

    def _cited(self, sentence: Sentence) -> str | None:
        """A place that cites a sentence by a few of its words."""
        words = words_of_sentence(self.outline.clauses[sentence.clause].text, sentence.start, sentence.end)
        return said_place(self.reader, sentence, words) if words else None

    def _unread(self, test: DraftTest) -> Iterator[tuple[Sentence, Measurement, str]]:
        """The numbers of a test's clause that no place of it reads."""
        has = vocabulary().manoeuvres[test.unit.manoeuvre].bind
        kinds = [(has.get(name), text) for name, text in test.data["bind"].items()]
        kinds += [(vocabulary().conditions.get(name), text) for name, text in test.data["conditions"].items()]
        for sentence in self.outline.sentences(test.unit.at):
            text = self.outline.clauses[sentence.clause].text
            for dimension in dict.fromkeys(kind.dimension for kind in has.values()):
                for number in sentence.numbers(dimension, text) if dimension not in ("", "count") else ():
                    places = [relative(place, test.unit.at) for place in number_places(self.reader, sentence, number, dimension)]
                    quoted = " ".join(str(text) for kind, text in kinds if kind is not None and kind.dimension == dimension)
                    if places and not any(place in quoted for place in places):
                        yield sentence, number, dimension

    def _number(self, test: DraftTest, sentence: Sentence, number: Measurement, dimension: str, compiled: Compiled) -> bool:
        """Ask what a number is; True where there was something to ask."""
        bind = test.data["bind"]
        has = vocabulary().manoeuvres[test.unit.manoeuvre]
        own = [("bind", name) for name, kind in has.bind.items() if kind.dimension == dimension and name not in bind]
        own += [
            ("conditions", name)
            for name, kind in vocabulary().conditions.items()
            if kind.dimension == dimension and name not in test.data["conditions"]
        ]
        places = list(number_places(self.reader, sentence, number, dimension))
        if not own or not places:
            return False
        text = self.outline.clauses[sentence.clause].text
        shown = text[number.start : number.end]
        said = dict(zip(labelled(len(own)), own, strict=True))
        marked = f"{text[sentence.start : number.start]}>>{shown}<<{text[number.end : sentence.end]}"
        question = Question(
            f"{sentence.clause}{sentence.item} {shown}"[:80],
            f'Under the title "{test.unit.title}" it says: {" ".join(marked.split())}\n\nWhat is {shown}?',
            {label: meaning(group, name) for label, (group, name) in said.items()},
        )

        def refusal(answer: str) -> str:
            group, name = said[answer]
            test.data[group][name] = relative(places[0], test.unit.at, test.unit.requirement or None)
            problem = compiled()
            if problem:
                test.data[group].pop(name)
            return problem

        answer = self.questioner.ask(question, refusal)
        if answer != NONE:
            group, name = said[answer]
            test.data[group][name] = relative(self._words(question.label, shown, places), test.unit.at, test.unit.requirement or None)
            test.notes.append(f"{group}.{name}: {self.mark}")
        return True

    def _words(self, label: str, shown: str, places: list[str]) -> str:
        """Of several places that read a number, the one whose words say what it is."""
        by_words = [place for place in places if ":" in place][:4]
        if len(by_words) < 2:
            return places[0]
        said = dict(zip(labelled(len(by_words)), by_words, strict=True))
        question = Question(
            f"{label} words"[:80],
            f"Which words say best what {shown} is? The underscore stands for the number.",
            {key: place.partition(": ")[2] for key, place in said.items()},
            may_be_none=False,
        )
        return said.get(self.questioner.ask(question), places[0])

    # ------------------------------------------------------------ what must happen

    def _requirement(self, test: DraftTest, compiled: Compiled) -> None:
        """Ask which sentence says what the system must do in the test, then in which form."""
        roots = dict.fromkeys((test.unit.requirement, test.unit.at))
        pool = [s for root in roots if root for s in self.outline.sentences(root) if vocabulary().must.search(s.text)]
        pool = [s for s in pool if self._cited(s)][:_NUMBERS]
        if not pool:
            return
        shown = dict(zip(labelled(len(pool)), pool, strict=True))
        which = Question(
            f"{test.unit.at} requirement",
            f'A test "{test.unit.title}". Which sentence says what the system must do in it, or must not do?',
            {label: " ".join(sentence.text.split())[:300] for label, sentence in shown.items()},
        )
        sentence = shown.get(self.questioner.ask(which))
        if sentence is None:
            return
        forms = dict(self._forms(sentence))
        labels = dict(zip(labelled(len(forms)), forms, strict=True))
        form = Question(
            f"{test.unit.at} form",
            f"The sentence: {' '.join(sentence.text.split())}\n\nWhat does it ask?",
            {label: forms[predicate] for label, predicate in labels.items()},
        )

        def refusal(answer: str) -> str:
            test.data["require"] = {"asked": self._criterion(labels[answer], sentence, test)}
            problem = compiled()
            if problem:
                test.data["require"] = {}
            return problem

        if self.questioner.ask(form, refusal) != NONE:
            test.notes.append(f"require.asked: {self.mark}")

    def _forms(self, sentence: Sentence) -> Iterator[tuple[str, str]]:
        """Predicates that a sentence may ask: those without a number, and its own numbers against a signal of their dimension."""
        yield from _FORMS.items()
        text = self.outline.clauses[sentence.clause].text
        for name, kind in vocabulary().signals.items():
            for number in sentence.numbers(kind.dimension, text) if kind.dimension else ():
                place = next(iter(number_places(self.reader, sentence, number, kind.dimension)), None)
                sign = {"ge": ">=", "gt": ">", "lt": "<"}.get(number.bound, "<=")
                if place:
                    bound = "at least" if sign in (">=", ">") else "at most"
                    yield f"{name} {sign} [{place}]", f"{meaning('signal', name)} shall be {bound} {text[number.start : number.end]}"

    def _criterion(self, predicate: str, sentence: Sentence, test: DraftTest) -> object:
        if "[" in predicate:
            head, _, place = predicate.partition("[")
            return head + relative(place.rstrip("]"), test.unit.at, test.unit.requirement or None)
        said = self._cited(sentence)
        return {"is": predicate, "said": relative(said or sentence.clause, test.unit.at, test.unit.requirement or None)}
