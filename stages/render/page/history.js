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

  // One chart for each figure: a line from 0 to 1 over the runs. A run on another golden set or
  // with a proxy that was degraded on purpose is hollow: it is not comparable with the others.
  const width = 240, height = 64, pad = 6;
  const golden = runs[runs.length - 1].golden_version;
  const x = (i) => pad + (runs.length > 1 ? (i * (width - 2 * pad)) / (runs.length - 1) : 0);
  const y = (value) => pad + (1 - value) * (height - 2 * pad);
  const label = (i) => [runs[i].started.replace("T", " ").replace("Z", ""), runs[i].proxy, "golden " + runs[i].golden_version, runs[i].degraded, runs[i].origin].filter(Boolean).join(", ");
  const charts = document.createElement("div"), more = document.createElement("div");
  charts.className = more.className = "grid";
  for (const figure of figures) {
    const last = figure.points[figure.points.length - 1].value;
    const svg = drawn("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": `${figure.label} over ${runs.length} runs: ${figure.points.map((p) => shown(p.value)).join(", ")}` });
    for (const value of [0, 1]) svg.append(drawn("line", { class: "axis", x1: pad, x2: width - pad, y1: y(value), y2: y(value) }));
    svg.append(drawn("polyline", { class: "line", points: figure.points.map((p) => `${x(p.run)},${y(p.value)}`).join(" ") }));
    for (const { run: i, value } of figure.points) {
      const dot = drawn("circle", { class: runs[i].golden_version === golden && !runs[i].degraded ? "dot" : "dot other", cx: x(i), cy: y(value), r: 3 });
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

  // The same as a table, for those who read no charts.
  const head = document.createElement("tr");
  for (const text of ["Run", ...figures.map((figure) => figure.label)]) {
    const th = element("th", text);
    th.scope = "col";
    head.append(th);
  }
  const body = runs.map((_, i) => {
    const tr = document.createElement("tr");
    const th = element("th", label(i));
    th.scope = "row";
    tr.append(th, ...figures.map((figure) => element("td", shown((figure.points.find((p) => p.run === i) || {}).value))));
    return tr;
  });
  const table = document.createElement("table"), thead = document.createElement("thead"), tbody = document.createElement("tbody");
  table.className = "mutations";
  thead.append(head);
  tbody.append(...body.reverse());
  table.append(thead, tbody);
  const scroll = document.createElement("div");
  scroll.className = "scroll";
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "History of figures");
  scroll.append(table);
  const details = document.createElement("details");
  details.append(element("summary", `Detectors, and the last ${runs.length} results, newest first`), more, scroll);
  section.append(charts, details);
  section.hidden = false;
})();
