// Everything lives in R; the document's own text reaches the page through text nodes only, never as markup.
const R = { data: JSON.parse(document.getElementById("data").textContent) };

R.el = (tag, attributes, ...children) => {
  const svg = ["svg", "g", "path", "rect", "line", "circle", "text", "polyline", "polygon", "ellipse", "title"].includes(tag);
  const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
};
R.byId = (id) => document.getElementById(id);
// Repeated words are kept once: here they are put back.
{
  const line = (number) => R.data.lines[number];
  for (const item of R.data.scenarios) {
    item.q = (item.q || []).map(([name, value]) => [...R.data.fields[line(name)], line(name), value]);
    item.say = (item.say || []).map(([kind, text, sources]) => [line(kind), line(text), sources]);
    item.ax = (item.ax || []).map(([name, text, sources]) => [line(name), line(text), sources]);
    item.act = (item.act || []).map(([role, kind, sources]) => [line(role), line(kind), sources]);
    for (const key of ["w", "req", "only"]) item[key] = (item[key] || []).map(([text, sources]) => [line(text), sources]);
    item.if = (item.if || []).map(line);
    item.as = (item.as || []).map(([field, text, code]) => [line(field), text, code]);
    item.st = line(item.st);
  }
}
R.scenario = new Map(R.data.scenarios.map((item) => [item.i, item]));
R.clause = new Map(R.data.clauses.map((item, number) => [item.i, number]));
R.table = new Map(R.data.tables.map((item, number) => [item.i, number]));
