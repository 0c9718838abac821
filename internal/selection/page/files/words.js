// Words and figures that several views use.

import { el } from "./dom.js";

// verdict says what became of a run: a mark, words, and a class for the colour.
export const verdict = (run) => {
  switch (run.status) {
    case "pending": return ["·", "waiting", "plain"];
    case "running": return ["…", "running", "plain"];
    case "failed": return run.error_message === "cancelled" ? ["–", "cancelled", "plain"] : ["!", "failed", "bad"];
  }
  switch (run.classification) {
    case "TP": return ["✓", "right tool", "good"];
    case "TN": return ["✓", "right: no tool", "good"];
    case "FP": return ["✗", "tool not wanted", "bad"];
  }
  if (run.wrong_because === "forbidden_call") return ["✗", "forbidden call", "bad"];
  if (run.wrong_because === "missing_call") return ["✗", "not all expected calls", "bad"];
  return run.selected ? ["✗", "wrong tool", "bad"] : ["✗", "no tool called", "bad"];
};

export const badge = (mark, text, cls) => el("span", { class: "badge " + cls }, el("span", { "aria-hidden": "true" }, mark + " "), text);

export const modelName = (settings) => settings.provider + "/" + settings.model;

export const callName = (call) => {
  if (!call) return "no tool";
  return call.unknown_tool ? call.unknown_tool + " (was not offered)" : call.server + ":" + call.tool;
};

export const percent = (value) => (value === null || value === undefined ? "–" : (100 * value).toFixed(1) + "%");
export const figure = (value, digits = 2) => (value === null || value === undefined ? "–" : value.toFixed(digits));
export const count = (n, one, many) => n.toLocaleString("en") + " " + (n === 1 ? one : many || one + "s");

export const time = (text) => (text ? el("time", { datetime: text }, new Date(text).toLocaleString()) : "never");

export const duration = (ms) => (ms === undefined || ms === null ? "–" : ms < 1000 ? ms + " ms" : (ms / 1000).toFixed(1) + " s");

export const categories = { robust: "robust: right and confident", needs_clarity: "needs clarity: right and less confident", misleading: "confidently wrong" };

// json writes a value on one line, or on several where that is long.
export const json = (value) => {
  const short = JSON.stringify(value);
  return short === undefined ? "" : short.length > 80 ? JSON.stringify(value, null, 2) : short;
};

export const shortID = (id) => id.slice(-8);

// imported says that another program executed runs.
export const imported = (run) => (run.imported ? badge("⇥", "imported from " + run.imported.from, "plain") : "");

export const batchName = (b) => b.label || "batch " + shortID(b.id);
