// The drawn top view of a test and its curves: the test as it is laid out for a simulator, played by regc; the page shows the frames.
R.stop = () => {};
R.trim = (number) => String(Math.round(number * 100) / 100);
/** Metres a second in the unit of the regulation. */
R.inUnit = (speed) => speed * R.data.unit[1];
R.speed = (speed) => `${R.inUnit(speed).toFixed(1)} ${R.data.unit[0]}`;
/** Room for a drawing that stays readable on a narrow screen. */
R.wide = (svg) => R.el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": svg.getAttribute("aria-label") }, svg);

/** A row of [time, ...] lists at a time: everything moves evenly between two of them. */
R.at = (frames, time) => {
  let low = 0, high = frames.length - 1;
  if (time <= frames[0][0]) return frames[0];
  if (time >= frames[high][0]) return frames[high];
  while (high - low > 1) { const middle = (low + high) >> 1; if (frames[middle][0] <= time) low = middle; else high = middle; }
  const share = (time - frames[low][0]) / (frames[high][0] - frames[low][0]);
  return frames[low].map((value, at) => value + (frames[high][at] - value) * share);
};

R.views2d = (item) => {
  if (!item.v || !item.v.length) return R.el("p", { class: "muted" }, item.no ? `Not drawn: ${item.no}.` : "This test was not laid out for the report.");
  const box = R.el("div", { class: "stage" });
  const choose = (at) => box.replaceChildren(...R.player(item, item.v[at], tabs));
  const tabs = item.v.length > 1 && R.el("label", {}, "Variant: ", R.el("select", { "aria-label": "Variant of the test", onchange: (event) => { R.stop(); choose(Number(event.target.value)); } },
    item.v.map((one, at) => R.el("option", { value: at }, one.n || `variant ${at + 1}`))));
  choose(0);
  return box;
};

R.player = (item, variant, tabs) => {
  const without = R.data.drawings[variant.d], reference = variant.r !== undefined && R.data.drawings[variant.r];
  let drawing = without, time = 0, playing = 0, last = 0;
  const scene = R.el("svg", { role: "img", class: "scene", "aria-label": `Top view of ${item.i}` });
  const curves = R.el("svg", { role: "img", "aria-label": "Speeds, distance and time to collision over time" });
  const slider = R.el("input", { type: "range", min: 0, max: drawing.t, step: 0.01, value: 0, "aria-label": "Time of the drawing" });
  const button = R.el("button", { type: "button", class: "primary", id: "play" }, "Play");
  const mode = R.el("select", { "aria-label": "System of the subject vehicle" }, R.el("option", { value: "" }, "no system acts"),
    reference && R.el("option", { value: "reference" }, "a model that meets the requirements"));
  const readout = R.el("dl", { class: "readout", id: "readout" });
  const legend = R.el("p", { class: "muted scale" });
  let pose = R.drawScene(scene, drawing), cursor = R.drawCurves(curves, drawing, item);

  const show = () => {
    const width = pose(time);
    cursor(time);
    slider.value = time;
    slider.setAttribute("aria-valuetext", `${time.toFixed(1)} seconds`);
    const begun = drawing.e.filter(([at]) => at <= time + 1e-9).map(([, words]) => words);
    const over = drawing.c && time >= drawing.c[0] - 1e-9;
    const facts = { Time: `${time.toFixed(2)} s`, Phase: over ? "contact" : begun.length ? begun[begun.length - 1] : "approach" };
    if (drawing.g.length) {
      const [, gap, closing] = R.at(drawing.g, time);
      facts.TTC = gap > 0 && closing > 1e-3 ? `${(gap / closing).toFixed(2)} s` : "–";
      facts.Distance = gap >= 0 ? `${gap.toFixed(1)} m` : "–";
    }
    for (const mover of drawing.m) if (mover.f.some((frame) => frame[4] > 0.01)) facts[mover.n] = R.speed(R.at(mover.f, time)[4]);
    if (item.lim !== undefined) facts["Impact / limit"] = `${over ? R.speed(drawing.c[1]) : "–"} / ${R.speed(item.lim)}`;
    readout.replaceChildren(...Object.entries(facts).map(([name, value]) => R.el("div", {}, R.el("dt", {}, name), R.el("dd", {}, value))));
    legend.textContent = `The picture is ${R.trim(Math.round(width))} m wide.`;
  };
  const frame = (stamp) => {
    if (!playing) return;
    time = Math.min(time + (last ? (stamp - last) / 1000 : 0), drawing.t);
    last = stamp;
    show();
    if (time >= drawing.t) R.stop();
    else playing = requestAnimationFrame(frame);
  };
  R.stop = () => { cancelAnimationFrame(playing); playing = 0; last = 0; button.textContent = "Play"; };
  button.addEventListener("click", () => {
    if (playing) return R.stop();
    if (time >= drawing.t) time = 0;
    button.textContent = "Pause";
    playing = requestAnimationFrame(frame);
  });
  slider.addEventListener("input", () => { R.stop(); time = Number(slider.value); show(); });
  mode.addEventListener("change", () => {
    R.stop();
    drawing = mode.value ? reference : without;
    slider.max = drawing.t;
    time = 0;
    pose = R.drawScene(scene, drawing);
    cursor = R.drawCurves(curves, drawing, item);
    show();
  });
  // a still picture says most where the functional part begins
  time = drawing.fp || 0;
  show();
  return [tabs || "", scene, legend, R.el("div", { class: "controls" }, button, slider, R.el("label", {}, "Subject vehicle: ", mode)), readout, R.wide(curves),
    R.el("p", { class: "muted" }, "Drawn to scale from the test as it is laid out for a simulator; boxes, road and whatever else the document does not say are assumed (Provenance). It is no run of a vehicle."),
    variant.p && R.el("p", { class: "muted" }, `The test leaves numbers open; drawn with ${variant.p}.`)].filter(Boolean);
};

R.points = (points) => points.map(([x, y]) => `${x},${-y}`).join(" ");
/** The road, everybody on it, and the way that each goes. Returns what moves all to a time and gives the width that is shown, m. */
R.drawScene = (svg, drawing) => {
  const colour = (mover, at) => (at === 0 ? "var(--subject)" : mover.r === "target" ? "var(--target)" : "var(--other)");
  const thin = "vector-effect:non-scaling-stroke;fill:none;";
  const road = drawing.s.map((outline) => R.el("polygon", { points: R.points(outline), style: "fill:var(--road)" }));
  const lines = drawing.l.map(([pattern, points]) => R.el("polyline", { points: R.points(points), style: `${thin}stroke:var(--lane);stroke-width:2;${pattern === "broken" ? "stroke-dasharray:10 8" : ""}` }));
  const ways = drawing.m.map((mover, at) => R.el("polyline", { points: R.points(mover.f.map((frame) => [frame[1], frame[2]])), style: `${thin}stroke:${colour(mover, at)};stroke-width:1.5;stroke-dasharray:3 4` }));
  const boxes = drawing.m.map((mover, at) => {
    const [length, width, front] = mover.b, fill = `fill:${colour(mover, at)};`;
    const outline = `${fill}stroke:${colour(mover, at)};stroke-width:3;vector-effect:non-scaling-stroke;stroke-linejoin:round`;
    const shape = mover.k === "pedestrian" ? R.el("ellipse", { cx: front - length / 2, cy: 0, rx: length / 2, ry: width / 2, style: outline })
      : R.el("rect", { x: front - length, y: -width / 2, width: length, height: width, style: outline });
    const glass = ["car", "van", "truck", "bus"].includes(mover.k) && R.el("rect", { x: front - 0.38 * length, y: -0.38 * width, width: 0.1 * length, height: 0.76 * width, style: "fill:var(--card);opacity:.75" });
    return R.el("g", { "data-role": mover.r }, R.el("title", {}, mover.n), shape, glass);
  });
  const impact = drawing.i && R.el("circle", { cx: drawing.i[0], cy: -drawing.i[1], r: 0.35, style: `${thin}stroke:var(--ink);stroke-width:1.5` });
  svg.replaceChildren(...road, ...lines, ...ways, impact || "", ...boxes.reverse());
  boxes.reverse();
  const shape = 0.36, least = 34;
  return (time) => {
    const poses = drawing.m.map((mover) => R.at(mover.f, time));
    let [west, east, south, north] = [Infinity, -Infinity, Infinity, -Infinity];
    poses.forEach(([, x, y, heading], at) => {
      boxes[at].setAttribute("transform", `translate(${x.toFixed(3)} ${(-y).toFixed(3)}) rotate(${((-heading * 180) / Math.PI).toFixed(2)})`);
      const half = drawing.m[at].b[0];
      west = Math.min(west, x - half); east = Math.max(east, x + half); south = Math.min(south, y - half); north = Math.max(north, y + half);
    });
    // the picture follows: everybody is in it, and near things are drawn large
    const width = Math.max(east - west + 6, (north - south + 4) / shape, least), height = width * shape;
    svg.setAttribute("viewBox", `${((west + east) / 2 - width / 2).toFixed(2)} ${(-(south + north) / 2 - height / 2).toFixed(2)} ${width.toFixed(2)} ${height.toFixed(2)}`);
    return width;
  };
};

/** Curves over time: speed of everybody who moves, distance and time to collision to whom the subject vehicle meets. */
R.drawCurves = (svg, drawing, item) => {
  const tall = 130, height = 186, panel = 236, span = drawing.t || 1;
  const narrow = window.matchMedia("(max-width: 38rem)").matches, count = drawing.g.length ? 3 : 1;
  svg.setAttribute("viewBox", narrow ? `0 0 310 ${height * count}` : `0 0 900 ${height}`);
  const chart = (number, title, most, series, rules) => {
    const at = narrow ? 50 : 50 + number * (panel + 64), above = narrow ? number * height : 0, top = above + 14;
    const x = (time) => at + (time / span) * panel, y = (value) => top + tall - (Math.min(Math.max(value, 0), most) / most) * tall;
    const lines = series.map(([value, colour]) => {
      const points = [];
      for (let step = 0; step <= 120; step++) {
        const time = (span * step) / 120, found = value(time);
        if (Number.isFinite(found)) points.push(`${x(time).toFixed(1)},${y(found).toFixed(1)}`);
      }
      return R.el("polyline", { points: points.join(" "), style: `fill:none;stroke:${colour};stroke-width:2` });
    });
    const ticks = [0, most / 2, most].map((value) => R.el("text", { x: at - 6, y: y(value) + 4, "text-anchor": "end", class: "faint" }, value < 10 ? R.trim(value) : Math.round(value)));
    const marks = rules.map(([value, text]) => [R.el("line", { x1: at, x2: at + panel, y1: y(value), y2: y(value), style: "stroke:var(--target);stroke-dasharray:5 4" }),
      R.el("text", { x: at + 4, y: y(value) - 4, "text-anchor": "start", class: "halo" }, text)]);
    const cursor = R.el("line", { y1: top, y2: top + tall, style: "stroke:var(--ink)" });
    const functional = drawing.fp !== null && R.el("line", { x1: x(drawing.fp), x2: x(drawing.fp), y1: top, y2: top + tall, style: "stroke:var(--accent);stroke-dasharray:5 4" });
    svg.append(R.el("path", { d: `M${at} ${top}V${top + tall}H${at + panel}`, style: "fill:none;stroke:var(--soft)" }), functional || "",
      ...lines, ...marks.flat(), ...ticks, R.el("text", { x: at, y: top + tall + 16, class: "faint" }, "0 s"),
      R.el("text", { x: at + panel, y: top + tall + 16, "text-anchor": "end", class: "faint" }, `${span.toFixed(1)} s`),
      R.el("text", { x: at + panel / 2, y: above + height - 4, "text-anchor": "middle" }, title), cursor);
    return (time) => { cursor.setAttribute("x1", x(time)); cursor.setAttribute("x2", x(time)); };
  };
  svg.replaceChildren();
  const colour = (mover, at) => (at === 0 ? "var(--subject)" : mover.r === "target" ? "var(--target)" : "var(--other)");
  const moving = drawing.m.map((mover, at) => [mover, colour(mover, at)]).filter(([mover]) => mover.f.some((frame) => frame[4] > 0.01));
  const fastest = Math.max(1, ...moving.flatMap(([mover]) => mover.f.map((frame) => R.inUnit(frame[4]))));
  const charts = [chart(0, `Speeds in ${R.data.unit[0]}`, fastest * 1.1, moving.map(([mover, ink]) => [(time) => R.inUnit(R.at(mover.f, time)[4]), ink]), [])];
  if (drawing.g.length) {
    const seen = (time) => R.at(drawing.g, time), ttc = ([, gap, closing]) => (gap > 0 && closing > 1e-3 ? gap / closing : NaN);
    const far = Math.max(1, ...drawing.g.map((row) => row[1])), times = drawing.g.map(ttc).filter((value) => value < 60), most = Math.max(1, ...times);
    const mark = drawing.fp !== null && ttc(seen(drawing.fp));
    charts.push(chart(1, `Distance to ${drawing.met.toLowerCase()} in m`, far * 1.05, [[(time) => (seen(time)[1] >= 0 ? seen(time)[1] : NaN), "var(--subject)"]], []));
    charts.push(chart(2, "Time to collision in s", most * 1.05, [[(time) => ttc(seen(time)), "var(--subject)"]], mark ? [[mark, `functional part ${mark.toFixed(1)}`]] : []));
  }
  return (time) => charts.forEach((move) => move(time));
};
