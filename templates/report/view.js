// The drawn top view and its curves. Uniform motion up to contact, or constant braking at the demanded deceleration, begun as late as
// the limit allows: an illustration from the scenario's numbers, not a run.
R.stop = () => {};
R.motion = (v, braking) => {
  const cross = v.kind === "cross", closing = cross ? v.vs : v.vs - v.vt, start = -(v.lead + v.ttc), way = closing * (v.lead + v.ttc);
  const way0 = braking ? (closing ** 2 - v.lim ** 2) / (2 * v.acc) : 0;
  const brakeAt = braking ? -way0 / closing : Infinity, contact = braking ? brakeAt + (closing - v.lim) / v.acc : 0;
  return { cross, closing, start, brakeAt, contact, end: contact + (cross ? 1 : 0.6), way,
    at(time) {
      const t = Math.min(time, contact), since = Math.max(t - brakeAt, 0);
      const rate = closing - (since ? v.acc * since : 0);
      const gap = since ? way0 - closing * since + (v.acc * since ** 2) / 2 : -closing * t;
      const target = cross ? way : way + v.vt * (t - start);
      const side = cross ? v.vt * (time < -v.ttc ? -v.ttc : Math.min(time, contact)) : 0;
      return { gap: Math.max(gap, 0), rate, target, front: target - Math.max(gap, 0), side, subject: cross ? rate : rate + v.vt, ttc: rate > 1e-6 ? Math.max(gap, 0) / rate : Infinity };
    } };
};
/** Metres a second in the unit of the regulation. */
R.inUnit = (speed) => speed * R.data.unit[1];
R.speed = (speed) => `${R.inUnit(speed).toFixed(1)} ${R.data.unit[0]}`;

R.stage = (item) => {
  const v = item.v, plain = R.motion(v, false);
  const brakes = v.acc && v.lim !== undefined && v.lim < plain.closing;
  let motion = plain, time = plain.start, playing = 0, last = 0;
  const scene = R.el("svg", { role: "img", "aria-label": `Top view of ${item.i}` });
  const curves = R.el("svg", { role: "img", "aria-label": "Positions, closing speed and time to collision over time" });
  const slider = R.el("input", { type: "range", min: plain.start, max: plain.end, step: 0.01, value: plain.start, "aria-label": "Time of the drawing" });
  const button = R.el("button", { type: "button", class: "primary", id: "play" }, "Play");
  const mode = R.el("select", { "aria-label": "Motion of the subject vehicle" }, R.el("option", { value: "" }, "no braking"),
    brakes && R.el("option", { value: "brake" }, `${R.trim(v.acc)} m/s² as late as the limit allows`));
  const readout = R.el("dl", { class: "readout", id: "readout" });
  const parts = R.drawScene(scene, v, plain);
  let cursor = R.drawCurves(curves, v, plain);

  const show = () => {
    const now = motion.at(time), functional = time >= -v.ttc - 1e-9;
    parts.subject.setAttribute("transform", `translate(${parts.x(now.front)} ${parts.y(0)})`);
    parts.target.setAttribute("transform", `translate(${parts.x(now.target)} ${parts.y(now.side)})`);
    parts.brake.setAttribute("visibility", time >= motion.brakeAt && time < motion.contact ? "visible" : "hidden");
    cursor(time);
    const room = scene.parentNode;
    if (room && room.scrollWidth > room.clientWidth) room.scrollLeft = (parts.x(now.front) / 900) * room.scrollWidth - 0.6 * room.clientWidth;
    slider.value = time;
    slider.setAttribute("aria-valuetext", `${(time - motion.start).toFixed(1)} seconds`);
    const phase = time >= motion.contact - 1e-9 ? (now.rate > 0.01 ? "contact" : "stopped short") : time >= motion.brakeAt ? "braking" : functional ? "functional part" : "approach";
    const facts = { Time: `${(time - motion.start).toFixed(2)} s`, Phase: phase, TTC: Number.isFinite(now.ttc) ? `${now.ttc.toFixed(2)} s` : "–", Distance: `${now.gap.toFixed(1)} m`,
      "Subject vehicle": R.speed(now.subject), Target: R.speed(motion.cross && time < -v.ttc ? 0 : v.vt) };
    if (v.lim !== undefined) facts["Impact / limit"] = `${time >= motion.contact - 1e-9 ? R.speed(now.rate) : "–"} / ${R.speed(v.lim)}`;
    readout.replaceChildren(...Object.entries(facts).map(([name, value]) => R.el("div", {}, R.el("dt", {}, name), R.el("dd", {}, value))));
  };
  const frame = (stamp) => {
    if (!playing) return;
    time = Math.min(time + (last ? (stamp - last) / 1000 : 0), motion.end);
    last = stamp;
    show();
    if (time >= motion.end) R.stop();
    else playing = requestAnimationFrame(frame);
  };
  R.stop = () => { cancelAnimationFrame(playing); playing = 0; last = 0; button.textContent = "Play"; };
  button.addEventListener("click", () => {
    if (playing) return R.stop();
    if (time >= motion.end) time = motion.start;
    button.textContent = "Pause";
    playing = requestAnimationFrame(frame);
  });
  slider.addEventListener("input", () => { R.stop(); time = Number(slider.value); show(); });
  mode.addEventListener("change", () => {
    R.stop();
    motion = R.motion(v, mode.value === "brake");
    slider.max = motion.end;
    time = motion.start;
    cursor = R.drawCurves(curves, v, motion);
    show();
  });
  show();
  return R.el("div", { class: "stage" }, R.wide(scene), R.el("div", { class: "controls" }, button, slider, R.el("label", {}, "Subject vehicle: ", mode)), readout, R.wide(curves),
    R.el("p", { class: "muted" }, "Drawn to scale from the scenario's numbers; boxes and the crossing side are assumed. Braking is an illustration, not a run."));
};
/** Room for a drawing that stays readable on a narrow screen. */
R.wide = (svg) => R.el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": svg.getAttribute("aria-label") }, svg);
R.trim = (number) => String(Math.round(number * 100) / 100);

R.drawScene = (svg, v, motion) => {
  const left = v.sub[0] + 3, right = (motion.cross ? motion.way : motion.way + v.vt * (v.lead + v.ttc)) + v.tgt[0] + 6;
  const scale = 900 / (left + right), half = v.lane / 2;
  const below = motion.cross ? Math.max(v.vt * v.ttc + v.tgt[0], half) + 1 : half + 1.6, above = half + (motion.cross ? 2.2 : 1.6);
  const x = (metres) => (metres + left) * scale, y = (metres) => (above - metres) * scale, height = (above + below) * scale + 44;
  svg.setAttribute("viewBox", `0 0 900 ${height.toFixed(0)}`);
  const label = (text, at, row) => R.el("text", { x: Math.min(x(at), 894), y: (above + below) * scale + 16 + row * 17, "text-anchor": x(at) > 790 ? "end" : x(at) < 110 ? "start" : "middle" }, text);
  const mark = (at, style) => R.el("line", { x1: x(at), x2: x(at), y1: 0, y2: (above + below) * scale + 4, style });
  const functional = motion.at(-v.ttc).front, contact = motion.at(0).target;
  const box = (length, width, colour, name) => R.el("rect", { x: name === "subject" ? -length * scale : 0, y: (-width / 2) * scale, width: length * scale, height: width * scale, rx: 3, style: `fill:${colour}` });
  const glass = R.el("rect", { x: -0.38 * v.sub[0] * scale, y: -0.38 * v.sub[1] * scale, width: 0.12 * v.sub[0] * scale, height: 0.76 * v.sub[1] * scale, rx: 1, style: "fill:var(--card);opacity:.75" });
  const brake = R.el("rect", { x: -v.sub[0] * scale, y: (-v.sub[1] / 2) * scale, width: 4, height: v.sub[1] * scale, style: "fill:#e11d1d", visibility: "hidden" });
  const subject = R.el("g", {}, box(v.sub[0], v.sub[1], "var(--subject)", "subject"), glass, brake);
  // A crossing target moves across: its length lies along y, its reference point at the origin.
  const [length, width] = v.tgt;
  const shape = !motion.cross ? box(length, width, "var(--target)", "target")
    : v.shape === "pedestrian" ? R.el("ellipse", { cx: (width / 2) * scale, cy: -(v.ahead - length / 2) * scale, rx: Math.max((width / 2) * scale, 4), ry: Math.max((length / 2) * scale, 4), style: "fill:var(--target)" })
    : R.el("rect", { x: 0, y: -v.ahead * scale, width: Math.max(width * scale, 4), height: length * scale, rx: 3, style: "fill:var(--target)" });
  const target = R.el("g", {}, shape);
  svg.replaceChildren(
    R.el("rect", { x: 0, y: y(half), width: 900, height: v.lane * scale, style: "fill:var(--road)" }),
    R.el("line", { x1: 0, x2: 900, y1: y(0), y2: y(0), style: "stroke:var(--lane);stroke-dasharray:10 8" }),
    motion.cross && R.el("line", { x1: x(contact) + (width * scale) / 2, x2: x(contact) + (width * scale) / 2, y1: y(0), y2: y(-v.vt * v.ttc), style: "stroke:var(--target);stroke-dasharray:3 4" }) || "",
    mark(functional, "stroke:var(--accent);stroke-width:1.5;stroke-dasharray:5 4"), label(`functional part: TTC ${R.trim(v.ttc)} s`, functional, 0),
    mark(contact, "stroke:var(--target);stroke-width:1.5"), label(v.lim === undefined ? "contact" : `contact: at most ${R.speed(v.lim)}`, contact, 1),
    R.el("text", { x: 8, y: 14, class: "faint" }, `${R.trim((left + right))} m`), target, subject);
  return { subject, target, brake, x, y };
};

/** Three curves over time: positions along the road, closing speed with the limit, time to collision. */
R.drawCurves = (svg, v, motion) => {
  const top = 12, tall = 130, height = 182, panel = 236, span = motion.end - motion.start, road = motion.at(motion.end).target * 1.05;
  svg.setAttribute("viewBox", `0 0 900 ${height}`);
  const chart = (number, title, most, values, rules) => {
    const at = 50 + number * (panel + 64);
    const x = (time) => at + ((time - motion.start) / span) * panel, y = (value) => top + tall - (Math.min(value, most) / most) * tall;
    const lines = values.map(([value, colour]) => {
      const points = [];
      for (let step = 0; step <= 120; step++) {
        const time = motion.start + ((motion.contact - motion.start) * step) / 120, found = value(motion.at(time));
        if (Number.isFinite(found)) points.push(`${x(time).toFixed(1)},${y(found).toFixed(1)}`);
      }
      return R.el("polyline", { points: points.join(" "), style: `fill:none;stroke:var(${colour});stroke-width:2` });
    });
    const ticks = [0, most / 2, most].map((value) => R.el("text", { x: at - 6, y: y(value) + 4, "text-anchor": "end", class: "faint" }, value < 10 ? R.trim(value) : Math.round(value)));
    const marks = rules.map(([value, text]) => [R.el("line", { x1: at, x2: at + panel, y1: y(value), y2: y(value), style: "stroke:var(--target);stroke-dasharray:5 4" }),
      R.el("text", { x: at + 4, y: y(value) - 4, "text-anchor": "start", class: "halo" }, text)]);
    const cursor = R.el("line", { y1: top, y2: top + tall, style: "stroke:var(--ink)" });
    svg.append(R.el("path", { d: `M${at} ${top}V${top + tall}H${at + panel}`, style: "fill:none;stroke:var(--soft)" }),
      R.el("line", { x1: x(-v.ttc), x2: x(-v.ttc), y1: top, y2: top + tall, style: "stroke:var(--accent);stroke-dasharray:5 4" }),
      ...lines, ...marks.flat(), ...ticks, R.el("text", { x: at, y: top + tall + 16, class: "faint" }, "0 s"),
      R.el("text", { x: at + panel, y: top + tall + 16, "text-anchor": "end", class: "faint" }, `${span.toFixed(1)} s`),
      R.el("text", { x: at + panel / 2, y: height - 6, "text-anchor": "middle" }, title), cursor);
    return (time) => { cursor.setAttribute("x1", x(time)); cursor.setAttribute("x2", x(time)); };
  };
  svg.replaceChildren();
  const marks = [
    chart(0, "Positions along the road in m", road, [[(now) => now.front, "--subject"], [(now) => now.target, "--target"]], []),
    chart(1, `Closing speed in ${R.data.unit[0]}`, R.inUnit(motion.closing) * 1.1, [[(now) => R.inUnit(now.rate), "--subject"]], v.lim === undefined ? [] : [[R.inUnit(v.lim), `limit at contact ${R.trim(R.inUnit(v.lim))}`]]),
    chart(2, "Time to collision in s", v.lead + v.ttc, [[(now) => now.ttc, "--subject"]], [[v.ttc, `functional part ${R.trim(v.ttc)}`]]),
  ];
  return (time) => marks.forEach((move) => move(time));
};

/** A manoeuvre has no path in the document: its times to collision on a line, from far to near. */
R.milestones = (item) => {
  const all = (item.q || []).map((entry) => [entry[1], R.data.quantities[entry[3]], entry[2]]).filter((entry) => entry[2].startsWith("manoeuvre."));
  const times = all.filter(([, quantity]) => quantity.v.endsWith(" s")).map(([label, quantity]) => [Number(quantity.n), `${label} ${quantity.w}`]).sort((a, b) => b[0] - a[0]);
  const defined = (item.def || []).map(([label, clause, line]) => R.el("details", {}, R.el("summary", {}, `What ${label.toLowerCase()} means`), R.el("p", { class: "clause" }, R.data.lines[line]),
    R.el("p", {}, R.el("button", { type: "button", class: "link", "data-clause": R.data.clauses[clause].i }, R.data.clauses[clause].i))));
  const why = R.el("p", { class: "muted" }, "No path is drawn: the document bounds speeds and times to collision of this manoeuvre, but fixes no path. Simulation files hold a path that keeps these bounds and is marked as assumed.");
  if (!times.length) return R.el("div", { class: "stage" }, R.el("p", { class: "muted" }, "The document gives no times of this manoeuvre; its numbers stand beside."), why, defined);
  const most = times[0][0] * 1.15, x = (time) => 40 + (1 - time / most) * 820;
  return R.el("div", { class: "stage" }, R.wide(R.el("svg", { viewBox: `0 0 900 ${70 + times.length * 18}`, role: "img", "aria-label": `Times to collision of ${item.i}` },
    R.el("line", { x1: 40, x2: 860, y1: 30, y2: 30, style: "stroke:var(--soft);stroke-width:2" }),
    R.el("text", { x: 860, y: 20, "text-anchor": "end" }, "TTC 0 s"), R.el("text", { x: 40, y: 20 }, `TTC ${R.trim(most)} s`),
    times.map(([time, text], at) => [R.el("line", { x1: x(time), x2: x(time), y1: 30, y2: 52 + at * 18, style: "stroke:var(--accent)" }), R.el("circle", { cx: x(time), cy: 30, r: 5, style: "fill:var(--accent)" }), R.el("text", { x: x(time) + (x(time) > 600 ? -6 : 6), y: 56 + at * 18, "text-anchor": x(time) > 600 ? "end" : "start" }, text)]))),
    why, defined);
};
