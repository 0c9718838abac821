// The tools that a run offered to the model, with the scanner's findings beside
// their descriptions. What was expected and what was chosen come first.

import { get } from "./api.js";
import { el, named, show } from "./dom.js";
import { button, failure, loading } from "./widgets.js";
import { badge, count, json } from "./words.js";

const perPage = 20;

const severities = { critical: "bad", high: "bad", medium: "bad", low: "plain", none: "plain" };

const signals = (finding) => el("div", { class: "findings" },
  el("p", {}, badge("!", `${finding.severity}: ${finding.action}`, severities[finding.severity] || "plain"), " The scanner found something in this definition."),
  el("ul", {}, finding.signals.map((s) => el("li", {}, el("b", {}, s.threat_type.replaceAll("_", " ")), " (", el("code", {}, s.check_id), `, ${s.tier}): `, el("bdi", {}, s.detail),
    s.evidence ? el("blockquote", {}, el("bdi", {}, s.evidence)) : ""))),
  finding.failed_checks && finding.failed_checks.length ? el("p", {}, "These checks failed on it: " + finding.failed_checks.join(", ")) : "");

const item = (t, isExpected, isChosen, finding) => el("li", { class: "tool" + (finding ? " flagged" : "") },
  el("h3", {}, named(t.server + ":" + t.name), isExpected ? [" ", badge("●", "expected", "good")] : "", isChosen ? [" ", badge("▸", "chosen", isExpected ? "good" : "bad")] : ""),
  t.description ? el("p", { class: "description" }, el("bdi", {}, t.description)) : el("p", { class: "quiet" }, "It has no description."),
  finding ? signals(finding) : "",
  el("details", {}, el("summary", {}, "Input schema"), el("pre", { tabindex: "0", "aria-label": "Input schema" }, json(t.input_schema))));

// offered draws the tools into a place, a part at a time, and adds the findings once
// they are computed.
export const offered = async (place, tools, expected, selected, path, signal) => {
  if (!tools.length) {
    show(place, el("p", { class: "quiet" }, "No tools were offered yet."));
    return;
  }
  const name = (server, tool) => JSON.stringify([server, tool]);
  const wanted = new Set(expected.map((c) => name(c.server, c.tool)));
  let byTool = new Map();
  const weight = (t) => (selected && t.id === selected.tool_id ? 0 : wanted.has(name(t.server, t.name)) ? 1 : byTool.has(name(t.server, t.name)) ? 2 : 3);
  const state = el("div", {}, loading("the scanner's findings"));
  const body = el("div");
  show(place, state, body);
  const draw = (limit) => {
    const sorted = [...tools].sort((a, b) => weight(a) - weight(b));
    show(body, el("ul", { class: "tools" }, sorted.slice(0, limit).map((t) =>
      item(t, wanted.has(name(t.server, t.name)), selected && t.id === selected.tool_id, byTool.get(name(t.server, t.name))))),
    limit < tools.length ? button(`Show more (${limit} of ${tools.length})`, () => draw(limit + 5 * perPage)) : "");
  };
  draw(perPage);
  const scan = async () => {
    try {
      const answer = await get(path + "/findings", {}, signal);
      byTool = new Map(answer.items.map((f) => [name(f.server, f.tool), f]));
      const flagged = answer.items.filter((f) => f.signals.length).length;
      show(state, flagged ? el("p", { class: "notice bad" }, `The scanner flags ${count(flagged, "of these tools", "of these tools")}: their definitions may mislead or attack a model. Risk ${answer.risk_score} of 100.`)
        : el("p", { class: "quiet" }, `The scanner found nothing in ${count(answer.coverage.tools_scanned, "definition")}.`),
      answer.coverage.checks_failed ? el("p", { class: "notice" }, "Not everything was scanned: " + answer.coverage.failed_check_ids.join(", ")) : "");
      draw(perPage);
    } catch (err) {
      if (!signal.aborted) show(state, failure(err, scan));
    }
  };
  await scan();
};
