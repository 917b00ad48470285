// Which scenario rests on which paragraph.
R.tracedTo = (id) => (R.data.trace[id] || []).map((number) => R.data.scenarios[number].i);
R.scenarioList = (ids) => R.el("ul", { class: "list" }, ids.map((id) => R.el("li", {}, R.el("a", { href: `#scenario/${id}` }, id))));
R.showTrace = (id) => {
  const ids = R.tracedTo(id);
  R.panel(`${ids.length} scenarios rest on ${id}`, R.scenarioList(ids));
};
