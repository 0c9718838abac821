"use strict";
(() => {
  const text = (id) => document.getElementById(id).textContent;
  const read = (id) => JSON.parse(text(id));
  const data = read("touchstone-data");
  const run = read("touchstone-run");
  const $ = (id) => document.getElementById(id);

  // Every string reaches the page through textContent; nothing is ever parsed
  // as markup.
  const make = (tag, cls, ...children) => {
    const e = document.createElement(tag);
    if (cls) e.className = cls;
    for (const c of children) if (c !== null && c !== undefined && c !== "") e.append(c);
    return e;
  };
  const tool = (n) => (n < 0 ? "" : data.tools[n]);
  const plural = (n, one, many) => n + " " + (n === 1 ? one : many);

  // --- lists: a page of rows at a time, opened on demand

  const perPage = 50;
  const list = (host, items, firstPage, row, detail, empty) => {
    host.replaceChildren();
    if (!items.length) {
      host.append(make("p", "quiet", empty));
      return;
    }
    const box = make("div", "list");
    const more = make("button", "more");
    more.type = "button";
    let shown = 0;
    const page = (count) => {
      for (const item of items.slice(shown, shown + count)) {
        const b = row(item);
        b.type = "button";
        b.setAttribute("aria-expanded", "false");
        b.addEventListener("click", () => toggle(b, () => detail(item)));
        box.append(b);
      }
      shown = Math.min(items.length, shown + count);
      more.textContent = `Show ${Math.min(perPage, items.length - shown)} more (${shown} of ${items.length})`;
      more.hidden = shown === items.length;
    };
    more.addEventListener("click", () => page(perPage));
    page(firstPage);
    host.append(box, more);
  };
  const toggle = (row, detail) => {
    if (row.getAttribute("aria-expanded") === "true") {
      row.nextElementSibling.remove();
      row.setAttribute("aria-expanded", "false");
      return;
    }
    row.after(make("div", "detail", ...detail()));
    row.setAttribute("aria-expanded", "true");
  };
  const rowOf = (state, cls, text, right) =>
    make("button", "row", make("span", "state " + cls, state), make("span", "text", text), make("span", "rank", right));
  const chips = (host, options, current, choose) => {
    host.replaceChildren();
    for (const [key, label] of options) {
      const b = make("button", "", label);
      b.type = "button";
      b.setAttribute("aria-pressed", String(key === current));
      b.addEventListener("click", () => choose(key));
      host.append(b);
    }
  };

  // On a phone the rows of a wide table are blocks, whose cells name their column.
  for (const table of document.querySelectorAll(".scroll > table")) {
    const heads = [...table.tHead.rows[0].cells].map((c) => c.textContent);
    for (const row of table.tBodies[0].rows) [...row.cells].forEach((c, i) => { c.dataset.label = heads[i]; });
    table.classList.add("labelled");
  }

  // --- queries and moves: one line each, parsed when first shown

  const lazy = (id, parse) => {
    const whole = text(id);
    const lines = whole ? whole.split("\n") : [];
    const done = new Map();
    const get = (n) => {
      if (n < 0 || n >= lines.length) return null;
      if (!done.has(n)) done.set(n, parse(JSON.parse(lines[n])));
      return done.get(n);
    };
    return { get, numbers: lines.map((_, n) => n) };
  };
  const queries = lazy("touchstone-queries", (line) => {
    const [id, text, notes, flat, ranked, metrics, first, errored, error, at, fewerLabels, fewerRanked] = line;
    const labels = new Map();
    for (let i = 0; i < flat.length; i += 2) labels.set(flat[i], flat[i + 1]);
    return { id, text, notes, labels, ranked, metrics, first, errored, error, move: moves.get(at), fewerLabels, fewerRanked };
  });
  const moves = lazy("touchstone-moves", (line) => {
    const [subject, id, state, want, before, after, displaced, title, was, is, error, query] = line;
    return { subject, id, state: data.states[state], want, before, after, displaced, title, was, is, error, query };
  });
  const rank = (n) => (n ? "rank " + n : "not in the top 10");

  const stateClass = { regressed: "bad", errored: "bad", removed: "plain", new: "plain", fixed: "good" };
  const judged = (relevance) =>
    relevance === 2 ? make("span", "rel r2", "● right")
    : relevance === 1 ? make("span", "rel r1", "◐ acceptable")
    : relevance === 0 ? make("span", "rel r0", "○ not relevant")
    : make("span", "rel none", "not judged");
  const thousandths = (n) => (n / 1000).toFixed(3);

  const queryDetail = (q) => {
    const out = [];
    if (q.error) out.push(make("p", "", make("b", "", "Error in " + q.errored + " of " + data.runs + " runs: "), q.error));
    const left = make("div", "", make("h4", "", "Ranked list"));
    if (q.fewerRanked && !q.ranked.length) {
      left.append(make("p", "quiet", "Left out of this page; report.json has it."));
    } else if (q.ranked.length) {
      left.append(make("ol", "", ...q.ranked.map((t) => make("li", "", make("span", "id", tool(t)), judged(q.labels.get(t))))));
    } else {
      left.append(make("p", "quiet", "The proxy answered nothing."));
    }
    if (q.fewerRanked && q.ranked.length) left.append(make("p", "quiet", plural(q.fewerRanked, "more place is", "more places are") + " left out of this page."));
    // A shortened list does not show what the full list lacks.
    const absent = q.fewerRanked ? [] : [...q.labels].filter(([t, r]) => r > 0 && !q.ranked.includes(t));
    const right = make("div");
    if (absent.length) {
      right.append(make("h4", "", "Right, but not in the top 10"),
        make("ul", "", ...absent.map(([t, r]) => make("li", "", make("span", "id", tool(t)), judged(r)))));
    }
    right.append(make("h4", "", "Metrics"), make("p", "", q.metrics.map((value, i) => data.metrics[i] + " " + thousandths(value)).join(", ")));
    if (q.notes) right.append(make("h4", "", "Notes"), make("p", "", q.notes));
    right.append(make("p", "quiet", "id ", make("span", "id", q.id)));
    if (q.fewerRanked !== undefined) {
      right.append(make("p", "quiet", "Shortened to keep this page small" + (q.fewerLabels ? ", " + plural(q.fewerLabels, "label is", "labels are") + " missing" : "") + "; report.json has it in full."));
    }
    out.push(make("div", "columns", left, otherSide(q), right));
    return out;
  };

  // --- another report, which the user opens in this page: its answers stand beside those of this
  // one. The browser reads the file; nothing leaves it.

  let other = null; // { name, degraded, queries: id -> query }
  const otherSide = (q) => {
    if (!other) return null;
    const side = make("div", "other", make("h4", "", "In " + other.name));
    const o = other.queries.get(q.id);
    if (other.degraded) side.append(make("p", "", "Degraded on purpose: " + other.degraded));
    if (!o) side.append(make("p", "quiet", "This report does not have the query."));
    else if (o.query !== q.text) side.append(make("p", "", "The query has another text there: " + o.query));
    if (o && o.error) side.append(make("p", "", make("b", "", "Error: "), o.error));
    if (o && o.ranked.length) side.append(make("ol", "", ...o.ranked.map((r) => {
      const n = data.tools.indexOf(r.tool_id);
      return make("li", "", make("span", "id", r.tool_id), judged(q.labels.get(n)));
    })));
    else if (o && !o.error) side.append(make("p", "quiet", "The proxy answered nothing."));
    return side;
  };
  const differs = (n) => {
    const q = queries.get(n), o = other && other.queries.get(q.id);
    if (!o) return Boolean(other);
    // A shortened list of this page is compared as far as it goes.
    const most = q.fewerRanked ? q.ranked.length : Infinity;
    const theirs = o.ranked.slice(0, most).map((r) => r.tool_id);
    return theirs.length !== q.ranked.length || q.ranked.some((t, i) => tool(t) !== theirs[i]);
  };
  const readOther = async (file) => {
    const said = $("other-note");
    try {
      const report = JSON.parse(await file.text());
      const found = report.aggregate.retrieval.per_query;
      other = { name: file.name + " (" + report.aggregate.proxy + ")", degraded: report.aggregate.degraded || "",
        queries: new Map(found.map((q) => [q.id, { query: q.query, error: q.error, ranked: q.ranked || [] }])) };
      queryFilters.differ = ["Differ", differs];
      queryFilter = "differ";
      said.textContent = `Each query also shows the ranked list from ${other.name}. ${plural(queries.numbers.filter(differs).length, "ranked list differs", "ranked lists differ")}.`;
    } catch {
      other = null;
      delete queryFilters.differ;
      if (queryFilter === "differ") queryFilter = "attention";
      said.textContent = `${file.name} is not a report.json of Touchstone. Choose the report.json of another run.`;
    }
    filterChips = countFilters();
    showQueries();
  };
  const moveReason = (m) => {
    if (m.error) return make("p", "", make("b", "", "Error: "), m.error);
    if (m.subject !== "retrieval") return make("p", "", make("b", "", m.subject + ": "), (m.was || "not there") + " → " + (m.is || "not there"));
    if (!m.before && !m.after) return null;
    const p = make("p", "", make("span", "id", tool(m.want) || "The best relevant tool"), `: ${rank(m.before)} before, ${rank(m.after)} now.`);
    if (m.displaced >= 0 && m.state !== "fixed") p.append(" Replaced by ", make("span", "id", tool(m.displaced)), ".");
    return p;
  };
  const queryRow = (q, metric) => {
    const right = metric >= 0 ? data.metrics[metric] + " " + thousandths(q.metrics[metric]) : q.move && (q.move.before || q.move.after) ? `${rank(q.move.before)} → ${rank(q.move.after)}`
      : q.first ? "rank " + q.first : "not in the top 10";
    const [state, cls] = q.errored ? ["failed", "bad"] : q.move ? [q.move.state, stateClass[q.move.state]]
      : q.first && q.first <= 5 ? ["found", "plain"] : ["not found", "bad"];
    return rowOf(state, cls, q.text, right);
  };

  // Filters use the flags, so that they parse no query. Queries
  // come in the order in which they are shown, failed and moved ones first.
  const flag = (bit) => (n) => (Number(data.flags[n]) & bit) !== 0;
  const queryFilters = {
    attention: ["Not found or changed", flag(1)],
    errored: ["Failed", flag(2)],
    hard: ["Look-alike labelled", flag(4)],
    all: ["All", () => true],
  };
  const countFilters = () => Object.entries(queryFilters).map(([k, [label, f]]) => [k, label + " " + queries.numbers.filter(f).length]);
  let filterChips = countFilters();
  let queryFilter = "attention";

  // A part of the queries, and an order: that of the list, or by a metric.
  const partNames = data.parts.map(([heading, name]) => heading + ": " + name);
  let part = "";
  let order = "";
  const inPart = () => {
    const at = partNames.indexOf(part);
    if (at < 0) return () => true;
    const places = new Set(data.parts[at][2]);
    return (n) => places.has(n);
  };
  const inOrder = (numbers) => {
    const m = data.metrics.indexOf(order);
    return m < 0 ? numbers : [...numbers].sort((a, b) => queries.get(a).metrics[m] - queries.get(b).metrics[m]);
  };
  const option = (value, label) => {
    const o = make("option", "", label);
    o.value = value;
    return o;
  };
  const makeSelects = () => {
    const parts = $("query-part"), orders = $("query-order");
    parts.append(option("", "All kinds and servers"));
    for (const heading of new Set(data.parts.map(([h]) => h))) {
      const group = make("optgroup");
      group.label = heading;
      data.parts.forEach(([h, name, places], i) => h === heading && group.append(option(partNames[i], `${name} (${places.length})`)));
      parts.append(group);
    }
    parts.hidden = !data.parts.length;
    parts.addEventListener("change", () => { part = parts.value; showQueries(); });
    orders.append(option("", "Changed first"), ...data.metrics.map((m) => option(m, "Lowest " + m + " first")));
    orders.hidden = !data.metrics.length;
    orders.addEventListener("change", () => { order = orders.value; showQueries(); });
    // A figure of the page leads to its queries.
    document.addEventListener("click", (ev) => {
      const link = ev.target.closest("a[data-part], a[data-metric]");
      if (!link) return;
      [part, order, queryFilter] = [link.dataset.part || "", link.dataset.metric || "", "all"];
      $("search").value = "";
      showQueries();
    });
  };

  let haystacks = null; // of all queries, made by the first search
  const search = (words) => {
    haystacks ||= queries.numbers.map((n) => {
      const q = queries.get(n);
      return [q.id, q.text, ...[...q.labels.keys()].map(tool), ...q.ranked.map(tool)].join(" ").toLowerCase();
    });
    return queries.numbers.filter((n) => words.every((w) => haystacks[n].includes(w)));
  };
  let searched = ""; // the text for which the list is shown
  const showQueries = () => {
    searched = $("search").value;
    const words = searched.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length ? search(words) : queries.numbers.filter(queryFilters[queryFilter][1]);
    const numbers = inOrder(found.filter(inPart()));
    [$("query-part").value, $("query-order").value] = [part, order];
    chips($("query-filters"), filterChips, words.length ? "" : queryFilter, (k) => {
      queryFilter = k;
      $("search").value = "";
      showQueries();
    });
    list($("query-list"), numbers, 15, (n) => queryRow(queries.get(n), data.metrics.indexOf(order)), (n) => {
      const q = queries.get(n);
      return [...(q.move ? [moveReason(q.move)].filter(Boolean) : []), ...queryDetail(q)];
    }, words.length || part ? "No query matches." : "Each query found its tool and none changed. Choose All to see all queries.");
  };

  // The same words give the same list: showing it again would close its rows.
  const showSearched = () => $("search").value === searched || showQueries();

  // --- security entries

  const entries = data.entries.map(([id, label, category, text], n) => ({ n, id, label, category, text: text || id }));
  const byEntry = new Map(entries.map((e) => [e.id, e]));
  const verdictOf = { f: "flagged", c: "clean", e: "failed", "-": "not asked" };
  const outcome = (d, e) => {
    const v = d.verdicts[e.n];
    if (v === "e") return ["failed", "bad"];
    if (v === "-") return ["not asked", "plain"];
    if (e.label === "malicious") return v === "f" ? ["caught", "plain"] : ["missed", "bad"];
    return v === "f" ? ["false alarm", "bad"] : ["not flagged", "plain"];
  };
  const entryDetail = (d, e) => {
    const [confidence, signals, evidence, error] = d.said[e.n] || [0, [], "", ""];
    const out = [make("p", "", `${e.label}, ${e.category.replaceAll("_", " ")}; ${d.name} says ${verdictOf[d.verdicts[e.n]]}`, confidence ? ` (confidence ${thousandths(confidence)})` : "")];
    if (signals.length) out.push(make("p", "", "Signals: ", make("span", "id", signals.join(", "))));
    if (evidence) out.push(make("h4", "", "Evidence"), make("p", "quote", evidence));
    if (error) out.push(make("p", "", make("b", "", "Error: "), error));
    if (d.unstable.includes(e.n)) out.push(make("p", "", "The runs disagree on this entry."));
    const others = data.detectors.filter((o) => o !== d && o.verdicts[e.n] === "f").map((o) => o.name);
    out.push(make("p", "quiet", others.length ? "Also flagged by " + others.join(", ") + "." : "Flagged by no other detector."));
    out.push(make("p", "quiet", "id ", make("span", "id", e.id)));
    return out;
  };
  // The judged detector first, and of several the one with a failed check.
  let detector = data.detectors.find((d) => d.name === data.opened) || data.detectors[0];
  let entryFilter = "wrong";
  const entryFilters = {
    wrong: ["Wrong", (d, e) => outcome(d, e)[1] === "bad"],
    missed: ["Missed", (d, e) => outcome(d, e)[0] === "missed"],
    alarms: ["False alarms", (d, e) => outcome(d, e)[0] === "false alarm"],
    errored: ["Failed", (d, e) => outcome(d, e)[0] === "failed"],
    all: ["All", () => true],
  };
  const showEntries = () => {
    if (!detector) return;
    chips($("detector-tabs"), data.detectors.map((d) => [d.name, d.name]), detector.name, (k) => {
      detector = data.detectors.find((d) => d.name === k);
      showEntries();
    });
    chips($("entry-filters"), Object.entries(entryFilters).map(([k, [label, f]]) => [k, label + " " + entries.filter((e) => f(detector, e)).length]), entryFilter, (k) => {
      entryFilter = k;
      showEntries();
    });
    const d = detector;
    list($("entry-list"), entries.filter((e) => entryFilters[entryFilter][1](d, e)), 10,
      (e) => {
        const row = rowOf(...outcome(d, e), e.text, e.category.replaceAll("_", " "));
        const [, signals, , error] = d.said[e.n] || [0, [], "", ""];
        if (error || signals.length) row.append(make("span", "because", error || make("span", "id", signals.join(", "))));
        return row;
      }, (e) => entryDetail(d, e),
      "No entry matches: " + d.name + " has no such mistake.");
  };

  // --- moves

  const showMoves = () => {
    if (!moves.numbers.length) return;
    list($("moves"), moves.numbers, 10, (n) => {
      const m = moves.get(n), q = queries.get(m.query);
      const text = m.subject === "retrieval" ? m.title || (q && q.text) || m.id : m.subject + ": " + m.id + (m.title ? " " + m.title : "");
      const right = m.before || m.after ? `${rank(m.before)} → ${rank(m.after)}` : m.was || m.is ? (m.was || "–") + " → " + (m.is || "–") : "";
      const row = rowOf(m.state, stateClass[m.state], text, right);
      const error = m.error || (m.state === "errored" && q && q.error);
      const because = error ? [error] : m.displaced >= 0 && m.state !== "fixed" ? [make("span", "id", tool(m.want)), " replaced by ", make("span", "id", tool(m.displaced))]
        : m.subject !== "retrieval" ? [] : m.want >= 0 ? [make("span", "id", tool(m.want))] : [];
      if (because.length) row.append(make("span", "because", ...because));
      return row;
    }, (n) => {
      const m = moves.get(n), q = queries.get(m.query);
      const out = [moveReason(m)].filter(Boolean);
      if (m.subject === "retrieval") return q ? [...out, ...queryDetail(q)] : [...out, make("p", "quiet", "id ", make("span", "id", m.id), ". This golden set does not have the query, or this page leaves it out.")];
      const d = data.detectors.find((x) => x.name === m.subject), e = byEntry.get(m.id);
      return d && e ? [...out, ...entryDetail(d, e)] : out;
    }, "");
  };

  // --- the pipeline

  const time = (ms) => (ms < 1000 ? ms + " ms" : ms < 60000 ? (ms / 1000).toFixed(1) + " s" : Math.floor(ms / 60000) + " min " + Math.round((ms % 60000) / 1000) + " s");
  const showRun = () => {
    if (!run) return;
    if (run.changed && run.changed.length) {
      $("context").append(make("p", "", make("b", "", "Changed since the baseline")), make("ul", "remarks", ...run.changed.map((line) => make("li", "", line))));
    }
    if (run.made_elsewhere) {
      const origins = new Map();
      for (const m of run.made_elsewhere) origins.set(m.origin, [...(origins.get(m.origin) || []), m.stage + (m.instance ? "[" + m.instance + "]" : "")]);
      $("context").append(make("p", "", make("b", "", plural(run.made_elsewhere.length, "result comes", "results come") + " from another machine")),
        make("ul", "remarks", ...[...origins].map(([origin, names]) => make("li", "", origin + ": " + names.slice(0, 10).join(", ") + (names.length > 10 ? " and " + (names.length - 10) + " more" : "")))));
    }
    if (run.command) $("context").append(make("p", "", make("b", "", "Run it again: "), make("code", "", run.command)));
    $("context").hidden = !$("context").children.length;
    const box = $("run");
    box.replaceChildren(make("p", "quiet", `Started ${run.started}, took ${time(run.duration_ms)}: ${plural(run.hits, "hit", "hits")}, ${run.executed} executed. The time of a hit is how long the cached execution took.`));
    const stages = new Map();
    for (const i of run.instances) {
      const s = stages.get(i.stage) || { name: i.stage, hit: 0, ran: 0, failed: 0, skipped: 0, off: 0, ms: 0, after: i.after, why: "" };
      s[i.status]++;
      s.ms += i.duration_ms;
      s.why = s.why || i.reason || "";
      stages.set(i.stage, s);
    }
    const longest = Math.max(1, ...[...stages.values()].map((s) => s.ms));
    const grid = make("div", "stages");
    for (const s of stages.values()) {
      const counts = ["failed", "ran", "hit", "skipped", "off"].filter((k) => s[k]).map((k) => plural(s[k], k, k === "hit" ? "hits" : k)).join(", ");
      const name = make("span", "", make("b", "", s.name));
      name.title = [s.after.length ? "reads " + s.after.join(", ") : "", s.why].filter(Boolean).join("; ");
      const fill = make("i");
      fill.style.width = Math.max(0.5, (100 * s.ms) / longest) + "%";
      grid.append(name, make("span", "small", counts), make("span", "meter " + (s.failed ? "failed" : s.ran ? "ran" : "hit"), fill), make("span", "number", time(s.ms)));
    }
    box.append(grid);
  };

  // --- keyboard: every visible row of the page is one sequence

  const rows = () => [...document.querySelectorAll(".row")];
  const step = (by) => {
    const all = rows();
    if (!all.length) return;
    let at = all.indexOf(document.activeElement);
    if (at < 0 && document.activeElement === $("search")) at = all.findIndex((r) => $("query-list").contains(r)) - 1;
    const next = all[Math.max(0, Math.min(all.length - 1, at + by))];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  };
  const help = $("help");
  document.addEventListener("keydown", (ev) => {
    if (ev.ctrlKey || ev.metaKey || ev.altKey) return;
    const search = $("search"), typing = document.activeElement === search;
    if (ev.key === "Escape") {
      if (help.open) return;
      if (typing) {
        search.value = "";
        search.blur();
        showQueries();
      } else {
        const row = document.activeElement.closest(".row") || (document.activeElement.closest(".detail") || {}).previousElementSibling
          || rows().findLast((r) => r.getAttribute("aria-expanded") === "true");
        if (row && row.getAttribute("aria-expanded") === "true") row.click();
      }
      return;
    }
    // Outside the lists the arrow keys scroll the page as usual.
    const onRow = document.activeElement.classList.contains("row");
    if ((ev.key === "ArrowDown" && (onRow || typing)) || (ev.key === "j" && !typing)) {
      if (typing) showSearched(); // the list may be older than the words
      step(1);
    }
    else if ((ev.key === "ArrowUp" && onRow) || (ev.key === "k" && !typing)) step(-1);
    else if (ev.key === "/" && !typing) {
      search.focus();
      search.scrollIntoView({ block: "center" });
    } else if (ev.key === "?" && !typing) help.open ? help.close() : help.showModal();
    else return;
    ev.preventDefault();
  });
  $("help-button").hidden = false;
  $("help-button").addEventListener("click", () => help.showModal());
  help.addEventListener("click", (ev) => { if (ev.target === help) help.close(); });
  let pending = 0;
  $("search").addEventListener("input", () => {
    clearTimeout(pending);
    pending = setTimeout(showSearched, 80);
  });

  $("other-label").hidden = false;
  $("other").addEventListener("change", (ev) => {
    if (ev.target.files.length) readOther(ev.target.files[0]);
    ev.target.value = ""; // so that a file that was written again can be chosen again
  });

  for (const c of data.cut) $("cut").append(make("li", "", c));
  showMoves();
  makeSelects();
  showQueries();
  showEntries();
  showRun();
})();
