// The history of each figure, from the cache of the machine that ran the gate.
(() => {
  const run = JSON.parse(document.getElementById("touchstone-run").textContent);
  const section = document.getElementById("history");
  if (!run || !run.history || !section) return;
  const { runs, figures } = run.history;
  const drawn = (tag, attributes) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
    return e;
  };
  const element = (tag, text) => {
    const e = document.createElement(tag);
    e.textContent = text;
    return e;
  };
  const shown = (value) => (value === undefined ? "–" : value.toFixed(3));

  // One chart for each figure: a line over the runs, on a scale from the lowest to the highest value. A run with another proxy, on another
  // golden set or with a proxy that was degraded on purpose is hollow: it is not comparable with the others.
  const width = 240, height = 92, pad = 6, left = 38, foot = 18;
  const now = runs[runs.length - 1];
  const comparable = (r) => r.proxy === now.proxy && r.golden_version === now.golden_version && !r.degraded;
  const x = (i) => left + (runs.length > 1 ? (i * (width - left - pad)) / (runs.length - 1) : 0);
  // The scale has room above and below, and shows no smaller difference than .02 over its height.
  const scale = (points) => {
    const values = points.map((p) => p.value), least = Math.min(...values), most = Math.max(...values);
    const room = Math.max((most - least) * 0.1, (0.02 - (most - least)) / 2, 0);
    const low = Math.max(0, least - room), high = Math.min(1, most + room);
    return { low, high, y: (value) => pad + ((high - value) / (high - low)) * (height - foot - 2 * pad) };
  };
  const date = (i) => runs[i].started.slice(0, 10);
  const note = (svg, text, at) => {
    const e = drawn("text", at);
    e.textContent = text;
    svg.append(e);
  };
  const label = (i) => [runs[i].started.replace("T", " ").replace("Z", ""), runs[i].commit && "commit " + runs[i].commit, runs[i].proxy, "golden " + runs[i].golden_version, runs[i].degraded, runs[i].origin].filter(Boolean).join(", ");
  const charts = document.createElement("div"), more = document.createElement("div");
  charts.className = more.className = "grid";
  for (const figure of figures) {
    const last = figure.points[figure.points.length - 1].value;
    const svg = drawn("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": `${figure.label} over ${runs.length} runs: ${figure.points.map((p) => shown(p.value)).join(", ")}` });
    const { low, high, y } = scale(figure.points);
    for (const value of [low, high]) {
      svg.append(drawn("line", { class: "axis", x1: left, x2: width - pad, y1: y(value), y2: y(value) }));
      note(svg, shown(value), { x: left - 5, y: y(value) + 4, "text-anchor": "end" });
    }
    note(svg, date(0), { x: left, y: height - 3 });
    note(svg, date(runs.length - 1), { x: width - pad, y: height - 3, "text-anchor": "end" });
    svg.append(drawn("polyline", { class: "line", points: figure.points.map((p) => `${x(p.run)},${y(p.value)}`).join(" ") }));
    for (const { run: i, value } of figure.points) {
      const dot = drawn("circle", { class: comparable(runs[i]) ? "dot" : "dot other", cx: x(i), cy: y(value), r: 3 });
      dot.append(drawn("title", {}));
      dot.firstChild.textContent = shown(value) + ": " + label(i);
      svg.append(dot);
    }
    const card = document.createElement("article");
    card.className = "metric";
    const big = element("p", shown(last));
    big.className = "big";
    card.append(element("h3", figure.label), big, svg);
    (figure.name.includes(":") ? more : charts).append(card); // the rates of detectors are many
  }

  // The same as a table, for those who read no charts: a column for each run, the newest first.
  const newest = runs.map((_, i) => i).reverse();
  const heads = ["Figure", ...newest.map((_, n) => "Run " + (n + 1))];
  const list = document.createElement("ol");
  list.className = "remarks";
  list.append(...newest.map((i) => element("li", label(i))));
  const head = document.createElement("tr");
  for (const text of heads) {
    const th = element("th", text);
    th.scope = "col";
    head.append(th);
  }
  const body = figures.map((figure) => {
    const tr = document.createElement("tr");
    const th = element("th", figure.label);
    th.scope = "row";
    tr.append(th, ...newest.map((i, n) => {
      const td = element("td", shown((figure.points.find((p) => p.run === i) || {}).value));
      td.dataset.label = heads[n + 1];
      return td;
    }));
    return tr;
  });
  const table = document.createElement("table"), thead = document.createElement("thead"), tbody = document.createElement("tbody");
  table.className = "mutations labelled";
  thead.append(head);
  tbody.append(...body);
  table.append(thead, tbody);
  const scroll = document.createElement("div");
  scroll.className = "scroll";
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "History of figures");
  scroll.append(table);
  const details = document.createElement("details");
  details.append(element("summary", `Detectors, and the last ${runs.length} results, newest first`), more, list, scroll);
  section.append(charts, details);
  section.hidden = false;
})();
