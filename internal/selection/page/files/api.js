// Requests to the service. The token of the service is kept for the tab's session
// alone. The API key of a model is kept in memory alone.

import { say } from "./dom.js";

const tokenKey = "touchstone-token";
const prefix = "/api/v1";

// Problem is an error that the service answered (RFC 9457), or a failed connection.
export class Problem extends Error {
  constructor(status, title, detail, fields) {
    super(detail || title);
    this.status = status;
    this.title = title;
    this.fields = fields || [];
  }
}

let tokenHere = ""; // for a browser whose storage is switched off

export const token = {
  get() {
    try {
      return sessionStorage.getItem(tokenKey) || tokenHere;
    } catch {
      return tokenHere;
    }
  },
  set(value) {
    tokenHere = value;
    try {
      if (value) sessionStorage.setItem(tokenKey, value);
      else sessionStorage.removeItem(tokenKey);
    } catch {
      // The token is lost when the page is reloaded.
    }
  },
};

let modelKey = "";

// keepModelKey holds the API key of the model that the user has entered last, so
// that a run can be retried.
export const keepModelKey = (key) => {
  modelKey = key;
};
export const hasModelKey = () => modelKey !== "";

const send = async (method, path, { query, body, file, headers, key, signal } = {}) => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query || {})) {
    for (const v of Array.isArray(value) ? value : [value]) if (v !== undefined && v !== null && v !== "") search.append(name, v);
  }
  const text = search.toString();
  const all = { ...headers };
  if (token.get()) all.Authorization = "Bearer " + token.get();
  if (key && modelKey) all["X-Model-API-Key"] = modelKey;
  if (body !== undefined) all["Content-Type"] = "application/json";
  if (file) all["Content-Type"] = "application/octet-stream";
  let response;
  try {
    response = await fetch(prefix + path + (text ? "?" + text : ""), {
      method, headers: all, body: file || (body === undefined ? undefined : JSON.stringify(body)), signal, credentials: "omit",
    });
  } catch (err) {
    if (err.name === "AbortError") throw err;
    throw new Problem(0, "No connection", "The service does not answer. Check that it is running.");
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  if (response.status === 401) dispatchEvent(new Event("touchstone-sign-in"));
  throw new Problem(response.status, problem.title || response.statusText, problem.detail, problem.errors);
};

const read = async (response) => (response.status === 204 ? null : response.json());

export const get = async (path, query, signal) => read(await send("GET", path, { query, signal }));
export const post = async (path, body, options) => read(await send("POST", path, { body, ...options }));
export const patch = async (path, body) => read(await send("PATCH", path, { body }));
export const remove = async (path) => read(await send("DELETE", path));

export const upload = async (path, query, file) => read(await send("POST", path, { query, file }));

// download saves what a path answers as a file of the user.
export const download = async (path, query, name) => {
  const address = URL.createObjectURL(await (await send("GET", path, { query })).blob());
  const a = document.createElement("a");
  a.href = address;
  a.download = name;
  a.click();
  URL.revokeObjectURL(address);
};

// once is a header that keeps a repeated request from being executed twice.
export const once = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return { "Idempotency-Key": [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("") };
};

const pause = (ms, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    reject(signal.reason);
  }, { once: true });
});

// follow reads a stream of events and gives what each carries to handle, which
// returns true after the last one. EventSource cannot send the token, so the stream
// is read by hand. A stream that breaks is opened again.
export const follow = async (path, handle, signal) => {
  for (let wait = 500; ; wait = Math.min(2 * wait, 10000)) {
    try {
      const response = await send("GET", path, { signal });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = ""; ;) {
        const { value, done } = await reader.read();
        if (done) break;
        const events = (rest + value).split("\n\n");
        rest = events.pop();
        for (const event of events) {
          const data = event.split("\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6)).join("\n");
          if (!data) continue;
          wait = 500;
          if (handle(JSON.parse(data))) return;
        }
      }
    } catch (err) {
      if (signal.aborted || (err instanceof Problem && err.status >= 400 && err.status < 500)) throw err;
      say("The connection to the service is lost. Trying again…");
    }
    await pause(wait, signal);
  }
};
