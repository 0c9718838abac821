// Builds elements. Every text becomes a text node: nothing is parsed as markup.

const make = (e, props, children) => {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") e.addEventListener(name.slice(2), value);
    else if (name === "value") e.value = value;
    else e.setAttribute(name, value === true ? "" : String(value));
  }
  append(e, children);
  return e;
};

const append = (e, children) => {
  for (const c of children) {
    if (Array.isArray(c)) append(e, c);
    else if (c !== undefined && c !== null && c !== false && c !== "") e.append(c);
  }
};

// el makes an element. Props are attributes; a function "onclick" is a listener.
export const el = (tag, props, ...children) => make(document.createElement(tag), props, children);

// svg is el for SVG.
export const svg = (tag, props, ...children) => make(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);

// named shows an untrusted name. A bdi element keeps the direction of its text from
// affecting the text around it.
export const named = (text) => el("bdi", { class: "id" }, text);

// show replaces what an element holds.
export const show = (e, ...children) => {
  e.replaceChildren();
  append(e, children);
};

let numbers = 0;

// newID returns an id for an element to which another one refers.
export const newID = (what) => `${what}-${++numbers}`;

// say shows a message at the foot of the page. Screen readers announce it. A message
// that the page shows elsewhere, too, is announced alone.
let silence = 0;
export const say = (text, announced = false) => {
  const status = document.getElementById("status");
  status.className = announced ? "hidden" : "status";
  status.textContent = text;
  clearTimeout(silence);
  silence = setTimeout(() => {
    status.textContent = "";
  }, 10000);
};
