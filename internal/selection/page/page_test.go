package page_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/touchstone-eval/touchstone/internal/selection/rest"
	"github.com/touchstone-eval/touchstone/internal/testing/browser"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

// TestPage uses the page as somebody does who begins with nothing. One browser and
// one service serve all of it.
func TestPage(t *testing.T) {
	b := newBench(t, rest.Access{})
	u := user{browser.Open(t, b.url), t}
	hold := &gate{}
	weather := mcpServer(t, map[string]string{"get_weather": "Get the weather of a city", "search": "Search documents for words", "notes": poison}, hold)

	for _, part := range []struct {
		name string
		do   func(t *testing.T, u user)
	}{
		{"nothing is there", nothing},
		{"register a server", func(_ *testing.T, u user) { register(u, weather) }},
		{"errors", failures},
		{"the editor of cases", editCase},
		{"add cases", addCases},
		{"start a batch and follow it", func(_ *testing.T, u user) { follow(u, hold) }},
		{"one run as a story", readStory},
		{"cancel, retry, delete", func(_ *testing.T, u user) { cancelAndRetry(u, hold) }},
		{"matrix", walkMatrix},
		{"compare", compareModels},
		{"batches by name", nameBatches},
		{"similarity", readSimilarity},
		{"quality", readQuality},
		{"change and delete a case", changeCase},
		{"keyboard", useKeyboard},
		{"without barriers", checkAccess},
		{"XSS", func(t *testing.T, u user) { attack(t, u, b) }},
		{"300 tools", func(t *testing.T, u user) {
			level.Thorough(t, "it shows a hundred times as many tools as the parts before")
			manyTools(t, u)
		}},
		{"5,000 runs", func(t *testing.T, u user) {
			level.Thorough(t, "it shows hundreds of times as many runs as the parts before")
			fillUp(t, u, b)
		}},
	} {
		if !t.Run(part.name, func(t *testing.T) { part.do(t, u.in(t)) }) {
			t.FailNow() // the later parts build on it
		}
	}
	// The browser logs each answer that is an error, and those are part of the test.
	u.quiet(b.url, "Failed to load resource: the server responded with a status of")
}

func nothing(_ *testing.T, u user) {
	u.reads("Begin here")
	u.Expect(`document.title`, "Batches · Touchstone")
	for fragment, text := range map[string]string{
		"#/servers": "There are no servers yet", "#/cases": "There are no cases yet", "#/runs": "There are no runs yet", "#/matrix": "There are no runs here",
		"#/compare": "There are no runs to compare yet", "#/similarity": "There are no servers yet", "#/quality": "There are no servers yet",
		"#/no/such/view": "There is no such view", "#/servers/x": "There is no such view", "#/%E0%A4%A": "There is no such view",
	} {
		u.visit(fragment)
		u.reads(text)
	}
}

func register(u user, url string) {
	u.visit("#/servers")
	u.push("main", "Register a server")
	u.fill("Name", "weather")
	u.fill("URL", url)
	u.Press(kb.Enter)
	u.reads("weather: active")
	u.Expect(`document.querySelector("tbody tr").innerText.includes("active")`, "true")
	u.push("main", "Register a server")
	u.fill("Name", "gone")
	u.fill("URL", "http://127.0.0.1:1/mcp")
	u.push("main", "Register and check")
	u.reads("gone: failed: ")
	u.push("main", "Change gone")
	u.fill("Name", "left")
	u.push("tbody", "Save and check")
	u.reads("left: failed: ")
	u.push("main", "Delete left")
	u.Expect(`document.activeElement.closest("dialog") !== null`, "true")
	u.push("dialog", "Keep")
	u.push("main", "Delete left")
	u.push("dialog", "Delete")
	u.Wait(`document.querySelectorAll("tbody tr").length === 1`)
	u.push("main", "Check weather")
	u.reads("weather: active")
}

// Errors of the service are shown as text, with what to do.
func failures(_ *testing.T, u user) {
	u.visit("#/servers")
	u.push("main", "Register a server")
	u.fill("Name", "weather")
	u.fill("URL", "http://127.0.0.1:1/other")
	u.push("main", "Register and check")
	u.reads("Conflict (409): ")
	u.reads("there is one with the same name already")
	u.fill("Name", "program")
	u.fill("URL", "stdio:true")
	u.push("main", "Register and check")
	u.reads("start the service with --start")
	u.visit("#/runs/none")
	u.reads(`Not Found (404): not found: there is no run "none"`)
	u.visit("#/runs?model=x")
	u.reads("a model is written as provider/model")
	u.visit("#/start")
	u.push("main", "Start")
	u.reads("Choose a case at least.")
}

func addCase(u user, name, query, tool, parameters string) {
	u.t.Helper()
	u.visit("#/cases/new")
	u.fill("Name", name)
	u.fill("Query", query)
	u.Click(`fieldset.servers input`)
	if tool != "" {
		u.push("main", "Add an expected call")
		u.fill("Tool", tool)
		u.fill("Parameters", "")
		u.Eval(`document.activeElement.value = ` + quote(parameters))
	}
	u.fill("Tags", "smoke")
	u.push("main", "Add the case")
}

// The editor offers the servers and their tools, and says which are not known.
func editCase(_ *testing.T, u user) {
	u.visit("#/cases/new")
	u.Click(`fieldset.servers input`)
	u.push("main", "Add an expected call")
	u.Wait(`[...document.querySelectorAll(".call datalist")].map((d) => [...d.options].map((o) => o.value).join()).join(" ") === "weather get_weather,notes,search"`)
	u.fill("Tool", "get_wether")
	u.Press(kb.Tab)
	u.reads("The server weather has no tool get_wether.")
	u.fill("Tool", "get_weather")
	u.Press(kb.Tab)
	u.Wait(`document.querySelector(".call .doubt").textContent === ""`)
	u.fill("Server", "wether")
	u.Press(kb.Tab)
	u.reads("There is no server wether.")
	u.fill("Forbidden tools", "weather:drop")
	u.Press(kb.Tab)
	u.reads("The server weather has no tool drop.")
}

func addCases(_ *testing.T, u user) {
	addCase(u, "broken", "q", "get_weather", `{"city":`)
	u.reads("The parameters of get_weather are not JSON")
	addCase(u, "kyiv", `What is the weather in the city "Kyiv" (UA) for 3 days?`, "get_weather", `{"city":"Lviv","country":"UA","unit":"C"}`)
	u.shown("#/cases")
	addCase(u, "lost", "Search documents for the weather of a city", "get_weather", "")
	u.shown("#/cases")
	u.reads("weather:get_weather")
	u.fill("Name or query contains", "KYIV")
	u.Wait(`document.querySelectorAll("tbody tr").length === 1`)
	u.Expect(`location.hash`, "#/cases?search=KYIV")
	u.fill("Name or query contains", "nothing of the kind")
	u.reads("No case matches.")
	u.Do(back)
	u.shown("#/cases?search=KYIV")
	u.Expect(`document.querySelectorAll("tbody tr").length`, "1")
}

func follow(u user, hold *gate) {
	u.visit("#/start?tag=smoke")
	u.fill("Repeats", "3")
	u.fill("Label", "first batch")
	hold.close()
	u.push("main", "Start")
	u.shown("#/batches/")
	u.reads("0 of 6 runs have ended")
	u.Eval(`window.sameDocument = true`)
	hold.open()
	u.reads("6 of 6 runs have ended: 6 completed, 0 failed, 0 running, 0 waiting")
	u.reads("50.0%")
	u.Expect(`window.sameDocument`, "true")
	u.Expect(`document.querySelector("progress").value`, "6")
	u.push("main", "Runs")
	u.shown("#/runs?batch=")
	u.Expect(`document.querySelectorAll("tbody tr").length`, "6")
}

// openRun opens the first run of a case.
func openRun(u user, name string) {
	u.t.Helper()
	u.visit("#/runs")
	u.push("tbody th", name)
	u.shown("#/runs/")
}

func readStory(_ *testing.T, u user) {
	openRun(u, "kyiv")
	u.Expect(`document.querySelector(".verdict .word").textContent`, "◐ right tool, wrong parameters")
	for _, text := range []string{
		`What is the weather in the city "Kyiv" (UA) for 3 days?`, "The model called get_weather of server weather, as expected.", "Parameters missing",
		"Offered: 3 tools", "expected", "score of the baseline",
	} {
		u.reads(text)
	}
	u.Expect(`[...document.querySelectorAll("section table tbody tr")].map((r) => r.cells[0].textContent + ":" + r.cells[1].textContent).join()`,
		"city:✗ wrong value,country:✓ equal,unit:✗ missing,days:· not expected, harmless")
	u.reads("The scanner flags 1 of these tools")
	u.Expect(`document.querySelector(".tool.flagged h3").textContent`, "weather:notes")
	u.Expect(`document.querySelector(".tool h3").textContent.includes("chosen")`, "true")
	openRun(u, "lost")
	u.Expect(`document.querySelector(".verdict .word").textContent`, "✗ wrong tool")
	u.reads("Parameters are compared where the right tool was called.")
}

func cancelAndRetry(u user, hold *gate) {
	u.visit("#/cases")
	u.push("main", "Run kyiv")
	u.shown("#/start?case=")
	hold.close()
	u.push("main", "Start")
	u.shown("#/runs/")
	u.Wait(`document.querySelector(".verdict .word")?.textContent.includes("running")`)
	u.push("main", "Cancel")
	u.Wait(`document.querySelector(".verdict .word")?.textContent.includes("cancelled")`)
	hold.open()
	before := u.Eval(`location.hash`)
	u.push("main", "Retry")
	u.Wait(`location.hash !== ` + quote(before))
	u.Wait(`document.querySelector(".verdict .word")?.textContent.includes("right tool, wrong parameters")`)
	u.reads("a retry of an earlier run")
	u.push("main", "Delete")
	u.push("dialog", "Delete")
	u.shown("#/runs?batch=")
	u.Expect(`document.querySelectorAll("tbody tr").length`, "1")
	hold.close()
	u.visit("#/start?tag=smoke")
	u.push("main", "Start")
	u.shown("#/batches/")
	u.push("main", "Cancel the batch")
	u.push("dialog", "Cancel them")
	u.reads("2 of 2 runs have ended: 0 completed, 2 failed")
	hold.open()
	u.push("main", "Retry failed runs")
	u.reads("4 of 4 runs have ended: 2 completed, 2 failed")
}

func walkMatrix(_ *testing.T, u user) {
	u.visit("#/matrix")
	u.Expect(`document.querySelectorAll("tbody tr").length`, "2")
	u.Expect(`document.querySelector("tbody tr td a").textContent`, "✓ 4/4 right, 1 failed")
	u.Expect(`document.querySelectorAll("td a[tabindex='0']").length`, "1")
	u.Eval(`document.querySelector("td a").focus()`)
	u.Press(kb.ArrowDown)
	u.Expect(`document.activeElement === document.querySelectorAll("tbody tr")[1].querySelector("td a")`, "true")
	u.reads("wrong tool")
	u.Press(kb.Enter)
	u.shown("#/runs?case=")
}

func compareModels(_ *testing.T, u user) {
	u.visit("#/compare")
	u.choose("First", "lexical/bm25")
	u.choose("Second", "lexical/bm25")
	u.push("main", "Compare")
	u.reads("McNemar's exact test gives p = 1.0000")
	u.reads("Wrong tool")
	u.Expect(`location.hash`, "#/compare?first=lexical%2Fbm25&second=lexical%2Fbm25")
	u.visit("#/compare?first=lexical/bm25&second=no/model")
	u.reads(`there are no ended runs of "no/model"`)

	// A batch is named by its label, in links and in what is shown.
	u.visit("#/compare?first=batch:first+batch&second=lexical/bm25")
	u.Expect(`document.querySelector("thead").innerText.includes("First: first batch")`, "true")
}

// nameBatches names a batch by its label: its figures, its column of the matrix, and
// its runs. It saves the results.
func nameBatches(_ *testing.T, u user) {
	u.visit("#/batches/first%20batch")
	u.reads("Expected and chosen")
	u.reads("By expected tool")
	u.Expect(`[...document.querySelectorAll("main table")].at(-1).querySelector("td a").getAttribute("href").startsWith("#/runs/")`, "true")
	u.Eval(`(() => {
		globalThis.saved = [];
		HTMLAnchorElement.prototype.click = function () { if (this.download) saved.push(this.download); };
	})()`)
	for _, format := range []string{"CSV", "JUnit", "HTML"} {
		u.Eval(`[...document.querySelectorAll("button")].find((b) => b.textContent === ` + quote(format) + `).click()`)
	}
	u.Wait(`saved.toSorted().join() === "results.csv,results.html,results.xml"`)
	u.Eval(`delete HTMLAnchorElement.prototype.click`)
	u.visit("#/matrix")
	u.choose("Columns", "batch")
	u.Wait(`document.querySelector("thead").innerText.includes("first batch")`)
	u.Expect(`document.querySelector("tbody tr td a").getAttribute("href").includes("batch=") || document.querySelector("tbody tr td a").getAttribute("href").startsWith("#/runs/")`, "true")
	u.visit("#/runs?batch=first+batch")
	u.choose("Expected tool", "get_weather")
	u.Wait(`location.hash === "#/runs?batch=first+batch&tool=get_weather" && !document.querySelector("main [aria-busy]")`)
}

func readSimilarity(_ *testing.T, u user) {
	u.visit("#/similarity?server=weather&threshold=0.01")
	u.reads("Overlap of 3 tools")
	u.Expect(`[...document.querySelectorAll(".axes .rows span")].map((s) => s.textContent).toSorted().join()`, "weather:get_weather,weather:notes,weather:search")
	u.reads("recommendation")
	u.Eval(`document.querySelector(".map").focus()`)
	u.Press(kb.ArrowRight)
	u.Press(kb.ArrowRight)
	u.Expect(`/^weather:\w+ and weather:\w+: [01]\.\d\d$/.test(document.querySelector(".map").closest(".scroll").nextElementSibling.textContent)`, "true")
	u.visit("#/similarity")
	u.push("main", "Compare the tools")
	u.reads("Choose a server at least.")
}

// manyTools shows a heat map of 300 tools: one element, and a page of pairs.
func manyTools(t *testing.T, u user) {
	tools := map[string]string{}
	for i := range 300 {
		tools[fmt.Sprintf("tool_%03d", i)] = fmt.Sprintf("Read the record number %d of the archive", i%10)
	}
	url := mcpServer(t, tools, nil)
	u.visit("#/servers")
	u.push("main", "Register a server")
	u.fill("Name", "many")
	u.fill("URL", url)
	u.Press(kb.Enter)
	u.reads("many: active")
	u.visit("#/similarity?server=many&threshold=0.1")
	u.reads("Overlap of 300 tools")
	u.Expect(`document.querySelector("canvas").width`, "300")
	u.Expect(`document.querySelectorAll("tbody tr").length`, "50")
	u.push("main", u.Eval(`[...document.querySelectorAll("main button")].pop().textContent`))
	u.Expect(`document.querySelectorAll("tbody tr").length`, "100")
	u.Expect(`document.querySelectorAll("*").length < 5000`, "true")
	u.visit("#/quality?server=many")
	u.reads("many: 300 tools")
	u.Expect(`document.querySelectorAll("tbody tr").length`, "50")
}

func readQuality(_ *testing.T, u user) {
	u.visit("#/quality?server=weather")
	u.reads("weather: 3 tools")
	u.Expect(`document.querySelectorAll("tbody tr").length`, "3")
	u.reads("Cases that went wrong with it")
}

func changeCase(_ *testing.T, u user) {
	addCase(u, "spare", "Hello", "", "")
	u.shown("#/cases")
	u.push("tbody", "spare")
	u.shown("#/cases/")
	u.fill("Query", "Good evening")
	u.push("main", "Save")
	u.shown("#/cases")
	u.reads("Good evening")
	u.push("main", "Delete spare")
	u.push("dialog", "Delete")
	u.Wait(`document.querySelectorAll("tbody tr").length === 2`)
}
