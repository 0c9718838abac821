// Rates with their 95% intervals, as text and as a small plot.

import { el, svg } from "./dom.js";
import { percent } from "./words.js";

// plot draws a rate from 0 to 1. The text beside it says the same.
export const plot = (rate) => {
  const x = (v) => 5 + 110 * v;
  return svg("svg", { class: "plot", width: 120, height: 14, viewBox: "0 0 120 14", "aria-hidden": "true" },
    svg("line", { class: "axis", x1: 5, x2: 115, y1: 7, y2: 7 }),
    rate.low === null ? "" : svg("rect", { class: "interval", x: x(rate.low), y: 4, width: Math.max(1, x(rate.high) - x(rate.low)), height: 6, rx: 3 }),
    rate.value === null ? "" : svg("circle", { class: "value", cx: x(rate.value), cy: 7, r: 4 }));
};

export const rate = (r) => el("span", { class: "rate" },
  plot(r), el("span", { class: "number" }, percent(r.value)),
  el("small", {}, r.value === null ? "nothing to count" : `${r.count !== undefined ? `${r.count} of ${r.of}, ` : ""}${percent(r.low)} to ${percent(r.high)}`));

// rates are the rows of a summary: [title, what it is, the field].
export const rates = [
  ["Accuracy", "right tool, or rightly none", "accuracy"],
  ["Wrong tool", "of the runs that expected one", "wrong_tool_rate"],
  ["Precision", "of the calls, those of the right tool", "precision"],
  ["Recall", "of the runs that expected a tool", "recall"],
  ["Parameters right", "of the right calls", "parameter_accuracy"],
  ["Parameters complete", "mean of the right calls", "parameter_completeness"],
  ["Parameters invented", "right calls with one", "hallucinating"],
  ["Confidently wrong", "of the runs with a confidence", "misleading"],
];
