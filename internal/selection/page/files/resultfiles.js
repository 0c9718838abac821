// The buttons that save the results of runs as files.

import { download } from "./api.js";
import { el } from "./dom.js";
import { attempt, button } from "./widgets.js";

const formats = [["CSV", "csv", "csv"], ["JUnit", "junit", "xml"], ["HTML", "html", "html"]];

// resultFiles saves the results of the runs that a filter selects. The filter is read
// when a button is pushed, and errors are shown in a place.
export const resultFiles = (filter, place) => el("div", { class: "buttons", role: "group", "aria-label": "Save the results" },
  el("span", { class: "quiet" }, "Results as"), formats.map(([text, format, extension]) => {
    const save = button(text, () => attempt(save, place, () => download("/results", { ...filter(), format }, "results." + extension)));
    return save;
  }));
