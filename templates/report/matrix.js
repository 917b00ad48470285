// Which scenario rests on which paragraph, from the places of its numbers and words.
R.clausesOf = new Map(
  R.data.scenarios.map((item) => {
    const places = [
      ...(item.q || []).flatMap((entry) => [...(R.data.quantities[entry[3]].s || []), ...(R.data.quantities[entry[3]].ts || [])]),
      ...(item.say || []).flatMap((entry) => entry[2]),
      ...item.src.status,
      ...item.src.target,
    ];
    const found = new Set(places.map((place) => R.data.sources[place].c));
    found.add(item.c);
    return [item.i, [...found].filter((number) => number !== undefined).sort((a, b) => a - b)];
  }),
);
R.tracedTo = (id) => {
  const number = R.clause.get(id);
  return R.data.scenarios.filter((item) => R.clausesOf.get(item.i).includes(number)).map((item) => item.i);
};
R.scenarioList = (ids) => R.el("ul", { class: "list" }, ids.map((id) => R.el("li", {}, R.el("a", { href: `#scenario/${id}` }, id))));
R.showTrace = (id) => {
  const ids = R.tracedTo(id);
  R.panel(`${ids.length} scenarios rest on ${id}`, R.scenarioList(ids));
};
