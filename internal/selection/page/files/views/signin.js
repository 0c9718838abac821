// Asks for the token of a service that needs one.

import { get, token } from "../api.js";
import { el, show } from "../dom.js";
import { attempt, field, heading } from "../widgets.js";

export default (root, then) => {
  const wasWrong = token.get() !== "";
  token.set("");
  const { box, input } = field("Token", { type: "password", required: true, autocomplete: "off", spellcheck: "false" }, null,
    ["The operator of the service has it: the option ", el("code", { class: "whole" }, "--token"), " of touchstone eval serve. It is kept until you close this tab or sign out."]);
  const submit = el("button", { type: "submit", class: "primary" }, "Sign in");
  const place = el("div");
  const form = el("form", {
    class: "form", "aria-labelledby": "sign-in", onsubmit: (ev) => {
      ev.preventDefault();
      attempt(submit, place, async () => {
        token.set(input.value.trim());
        await get("/models"); // a wrong token leads back here
        then();
      });
    },
  }, box, place, el("div", { class: "buttons" }, submit));
  show(root, heading("Sign in"), wasWrong ? el("p", { class: "notice bad", role: "alert" }, "The service refused the token.") : "", form);
  root.querySelector("h1").id = "sign-in";
  document.title = "Sign in · Touchstone";
  input.focus();
};
