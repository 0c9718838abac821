// Shows the view that the fragment of the URL names, and another one when it changes.

import { token } from "./api.js";
import { el, say, show } from "./dom.js";
import { parse } from "./route.js";
import { failure, heading } from "./widgets.js";
import batch from "./views/batch.js";
import batches from "./views/batches.js";
import editCase from "./views/case.js";
import cases from "./views/cases.js";
import compare from "./views/compare.js";
import matrix from "./views/matrix.js";
import quality from "./views/quality.js";
import runs from "./views/runs.js";
import servers from "./views/servers.js";
import signIn from "./views/signin.js";
import similarity from "./views/similarity.js";
import start from "./views/start.js";
import story from "./views/story.js";

// Views by the first part of the path: of a list, and of one thing.
const views = {
  servers: [servers], cases: [cases, editCase], start: [start], batches: [batches, batch], matrix: [matrix],
  runs: [runs, story], compare: [compare], similarity: [similarity], quality: [quality],
};

const main = document.getElementById("main");
let current = new AbortController();
let first = true;

const mark = (name) => {
  for (const a of document.querySelectorAll("#nav a")) {
    if (a.getAttribute("href") === "#/" + name) {
      a.setAttribute("aria-current", "page");
      a.scrollIntoView({ block: "nearest", inline: "nearest" }); // a narrow bar shows a part of the views
    } else a.removeAttribute("aria-current");
  }
};

const open = async () => {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  const { hash } = location;
  const route = parse(hash);
  const [name, id] = route.parts;
  const view = name === undefined ? batches : route.parts.length > 2 ? undefined : views[name] && views[name][id === undefined ? 0 : 1];
  mark(name || "batches");
  document.getElementById("sign-out").hidden = !token.get();
  say("");
  // Each view draws into its own root, so that an aborted view cannot change the next.
  const root = el("div", { "aria-busy": "true" });
  show(main, root);
  if (!first) scrollTo(0, 0);
  try {
    if (view) await view(root, { ...route, id, signal });
    else show(root, heading("Not found"), el("p", {}, "There is no such view. Choose one above."));
  } catch (err) {
    if (signal.aborted) return;
    show(root, heading("This view cannot be shown"), failure(err, open));
  }
  if (signal.aborted) return;
  root.removeAttribute("aria-busy");
  main.dataset.shown = hash;
  const h1 = root.querySelector("h1");
  document.title = (h1 ? h1.textContent + " · " : "") + "Touchstone";
  // The focus moves to the heading, so that screen readers announce the view.
  if (h1 && !first) h1.focus({ preventScroll: true });
  first = false;
};

addEventListener("hashchange", open);
addEventListener("touchstone-sign-in", () => {
  current.abort();
  current = new AbortController();
  document.getElementById("sign-out").hidden = true;
  const root = el("div");
  show(main, root);
  signIn(root, open);
});
document.getElementById("sign-out").addEventListener("click", () => {
  token.set("");
  open();
});
document.getElementById("skip").addEventListener("click", (ev) => {
  ev.preventDefault(); // the fragment is the view's
  main.focus();
});
open();
