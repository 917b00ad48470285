// Which scenario rests on which paragraph.
R.tracedTo = (id, test) => (R.data.trace[id] || []).map((number) => R.data.scenarios[number]).filter((item) => !test || item.t === test).map((item) => item.i);
R.scenarioList = (ids) => R.el("ul", { class: "list" }, ids.map((id) => R.el("li", {}, R.el("a", { href: `#scenario/${id}` }, id))));
R.showTrace = (id, test) => {
  const ids = R.tracedTo(id, test);
  R.panel(`${ids.length} scenarios${test ? ` of ${test}` : ""} rest on ${id}`, R.scenarioList(ids));
};
