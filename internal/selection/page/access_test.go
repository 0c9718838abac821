package page_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/touchstone-eval/touchstone/internal/selection/rest"
	"github.com/touchstone-eval/touchstone/internal/testing/browser"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

// The keyboard alone leads from the top of the page to a view and through it.
func useKeyboard(_ *testing.T, u user) {
	u.visit("#/runs")
	u.Eval(`(document.activeElement.blur(), getSelection().removeAllRanges(), document.getElementById("skip").focus())`)
	u.Press(kb.Enter)
	u.Expect(`document.activeElement.id`, "main")
	u.Eval(`document.getElementById("skip").focus()`)
	for range 3 {
		u.Press(kb.Tab)
	}
	u.Expect(`document.activeElement.textContent`, "Cases")
	u.Press(kb.Enter)
	u.shown("#/cases")
	u.Expect(`document.activeElement.tagName + document.activeElement.textContent`, "H1Cases")
	u.Expect(`document.querySelector("#nav [aria-current]").textContent`, "Cases")
	u.Press(kb.Tab)
	u.Press(kb.Enter)
	u.shown("#/cases/new")
	u.push("main", "Cancel")
	u.shown("#/cases")
	u.push("main", "Delete kyiv")
	u.Press(kb.Escape)
	u.Wait(`document.querySelector("dialog") === null`)
	u.Expect(`document.querySelectorAll("tbody tr").length`, "2")
}

// checkAccess looks at each view with axe-core, in both themes.
func checkAccess(t *testing.T, u user) {
	u.visit("#/batches")
	batch := u.Eval(`document.querySelector("tbody a").getAttribute("href")`)
	openRun(u, "kyiv")
	right := u.Eval(`location.hash`)
	openRun(u, "lost")
	wrong := u.Eval(`location.hash`)
	views := map[string]string{
		"servers": "#/servers", "cases": "#/cases", "case": "#/cases/new", "start": "#/start", "batches": "#/batches", "batch": batch, "matrix": "#/matrix",
		"runs": "#/runs", "story": right, "wrong": wrong, "compare": "#/compare?first=lexical/bm25&second=lexical/bm25",
		"similarity": "#/similarity?server=weather&threshold=0.01", "quality": "#/quality?server=weather", "error": "#/runs/none", "none": "#/cases?search=nothing",
	}
	ground := map[string]bool{}
	for _, theme := range []string{"light", "dark"} {
		u.Theme(theme)
		ground[u.Eval(`getComputedStyle(document.body).backgroundColor`)] = true
		for name, fragment := range views {
			// The themes differ in colours alone, and these views have all of them.
			if theme == "dark" && !slices.Contains([]string{"batch", "wrong", "similarity"}, name) && !level.IsThorough() {
				continue
			}
			t.Run(name+", "+theme, func(t *testing.T) {
				u := u.in(t)
				u.visit(fragment)
				u.Wait(`!document.querySelector(".loading")`)
				u.Eval(`document.querySelectorAll("details").forEach((d) => d.open = true)`)
				u.Expect(`document.documentElement.scrollWidth <= innerWidth`, "true")
				u.Axe()
			})
		}
	}
	// On a narrow screen, too, nothing but tables and the bar scrolls sideways.
	u.Do(chromedp.EmulateViewport(375, 800))
	for name, fragment := range views {
		u.visit(fragment)
		if got := u.Eval(`document.documentElement.scrollWidth <= innerWidth`); got != "true" {
			t.Errorf("the view %s is wider than a narrow screen", name)
		}
	}
	u.Do(chromedp.EmulateReset())
	if len(ground) != 2 {
		t.Errorf("light and dark look the same: %v", ground)
	}
}

func TestSignIn(t *testing.T) {
	const token = "0123456789abcdef0123"
	b := newBench(t, rest.Access{Token: token, Remote: true})
	u := user{browser.Open(t, b.url+"#/servers"), t}
	u.reads("Sign in")
	u.Expect(`document.activeElement.type`, "password")
	t.Run("without barriers", func(t *testing.T) { u.in(t).Axe() })
	u.fill("Token", "wrong token, wrong token")
	u.Press(kb.Enter)
	u.reads("The service refused the token.")
	u.fill("Token", token)
	u.Press(kb.Enter)
	u.shown("#/servers")
	u.reads("There are no servers yet")
	u.Expect(`sessionStorage.length + localStorage.length + document.cookie`, "1")
	// The stream of events is read with the token, too.
	url := mcpServer(t, map[string]string{"get_weather": "Get the weather of a city"}, nil)
	u.push("main", "Register a server")
	u.fill("Name", "weather")
	u.fill("URL", url)
	u.Press(kb.Enter)
	u.reads("weather: active")
	addCase(u, "kyiv", "The weather of the city Kyiv", "get_weather", "")
	u.shown("#/cases")
	u.visit("#/start?tag=smoke")
	u.fill("Repeats", "2")
	u.fill("API key of the model", "marked-key-1")
	u.push("main", "Start")
	u.reads("2 of 2 runs have ended")
	u.Expect(`JSON.stringify({...sessionStorage, ...localStorage}).includes("marked-key")`, "false")
	u.push("header", "Sign out")
	u.reads("Sign in")
	u.Expect(`sessionStorage.length`, "0")
	for _, url := range u.Requests() {
		if strings.Contains(url, token) || strings.Contains(url, "marked-key") {
			t.Errorf("a secret is in the URL %s", url)
		}
	}
	u.quiet(b.url, "Failed to load resource: the server responded with a status of 401")
}
