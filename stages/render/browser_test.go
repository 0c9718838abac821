package render

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/testing/browser"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

// open serves a page on loopback and opens it.
func open(t *testing.T, page []byte, before ...browser.Step) *tab {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(page)
	}))
	t.Cleanup(server.Close)
	return &tab{browser.Open(t, server.URL, before...), t}
}

// tab is an open report.
type tab struct {
	*browser.Tab
	t *testing.T
}

// quiet checks that the page loaded without errors or other requests.
func (b *tab) quiet() {
	b.t.Helper()
	var outside []string
	for _, r := range b.Requests() {
		if !strings.HasPrefix(r, "data:") {
			outside = append(outside, r)
		}
	}
	if len(outside) != 1 {
		b.t.Errorf("the page requested %q", outside)
	}
	if logged := b.Errors(); len(logged) > 0 {
		b.t.Errorf("the console shows %q", logged)
	}
}

func TestPageInABrowser(t *testing.T) {
	page, err := HTML(sampleReport(t, 280))
	if err != nil {
		t.Fatal(err)
	}
	run := sampleRun()
	run.MadeElsewhere = []contracts.MadeElsewhere{
		{Stage: "score-retrieval", Instance: "run=1", Origin: "imported from <b>main.cache</b>"},
		{Stage: "score-retrieval", Instance: "run=2", Origin: "imported from <b>main.cache</b>"},
		{Stage: "aggregate", Origin: "imported from other.cache", Signed: true},
	}
	page, err = WithRun(page, run)
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, page)
	b.Expect(`document.querySelector("#verdict h1").textContent`, "Failed")
	b.Expect(`document.querySelector("#sentence").textContent`, "2 of 6 checks fail.")
	b.Expect(`document.querySelectorAll("#checks li.fail").length`, "2")
	b.Expect(`document.querySelector("#checks li").className`, "fail")
	b.Expect(`document.querySelectorAll(".plot").length > 20`, "true")
	b.Expect(`document.querySelector("#context").textContent.includes("3 results come from another machine"+
		"imported from <b>main.cache</b>: score-retrieval[run=1], score-retrieval[run=2]"+"imported from other.cache: aggregate")`, "true")

	// Failed and moved rows come first, the rest on demand.
	b.Expect(`document.querySelectorAll("#moves .row").length`, "10")
	b.Expect(`document.querySelectorAll("#query-list .row").length`, "15")
	b.Expect(`document.querySelector("#query-list .row .state").textContent`, "regressed")
	b.Click("#query-list .more")
	b.Expect(`document.querySelectorAll("#query-list .row").length`, "65")

	// The keyboard: j and k walk, Enter opens, Escape closes.
	b.Press("j")
	b.Expect(`document.activeElement === document.querySelectorAll("#moves .row")[0]`, "true")
	b.Press("j" + kb.ArrowDown + "k")
	b.Expect(`document.activeElement === document.querySelectorAll("#moves .row")[1]`, "true")
	b.Press("j" + kb.Enter)
	b.Expect(`document.activeElement.getAttribute("aria-expanded")`, "true")
	b.Expect(`document.querySelectorAll("#moves .detail ol li").length`, "10")
	b.Press(kb.Escape)
	b.Expect(`document.querySelectorAll("#moves .detail").length`, "0")

	// "/" focuses the search, which also matches tools; Escape leaves it.
	b.Press("/")
	b.Expect(`document.activeElement.id`, "search")
	b.Eval(`document.querySelector("#search").value = ""`) // the protocol types "/" even though the page prevents it
	// Down and Enter open what was searched for, however fast they follow the words, and
	// the list that is shown after a pause in typing leaves it open.
	b.Press("q00002" + kb.ArrowDown + kb.Enter)
	b.Eval(`new Promise((done) => setTimeout(done, 200))`)
	b.Expect(`document.querySelectorAll("#query-list .row").length`, "1")
	b.Expect(`document.querySelectorAll("#query-list .detail").length`, "1")

	// The text of this query is markup. The page must show it as plain text.
	b.Expect(`document.querySelector("#query-list .row .text").textContent.includes("<img src=x onerror=")`, "true")
	b.Expect(`document.querySelector("#query-list .detail").textContent.includes("connection reset </script>")`, "true")
	b.Expect(`document.querySelectorAll("img, #query-list script").length`, "0")
	b.Expect(`typeof window.pwned`, "undefined")
	b.Do(chromedp.Focus(chromedp.CSS("#search")))
	b.Press(kb.Escape)
	b.Expect(`document.querySelector("#search").value + document.querySelectorAll("#query-list .row").length`, "15")

	// Detectors, entries and the pipeline.
	b.Click(`#detector-tabs button:nth-child(5)`)
	b.Expect(`document.querySelector("#detector-tabs [aria-pressed=true]").textContent`, "keywords")
	b.Expect(`document.querySelector("#entry-list .row .text").textContent.startsWith("srv:tool_")`, "true")
	b.Click(`#entry-list .row`)
	b.Expect(`document.querySelectorAll("#entry-list .detail").length`, "1")
	b.Expect(`document.querySelectorAll("#run .stages .meter").length`, "6")
	b.Expect(`document.querySelector("#run").textContent.includes("aggregate</script>")`, "true")
	b.Press("?")
	b.Expect(`document.querySelector("#help").open`, "true")
	b.Press(kb.Escape)
	b.Expect(`document.querySelector("#help").open`, "false")
	b.quiet()
}

// A figure leads to its queries: a metric to all of them in its order, a kind or a server to its own.
func TestFiguresLeadToQueries(t *testing.T) {
	r := sampleReport(t, 60)
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}

	b := open(t, page)
	b.Click(`a[data-metric="MRR"]`)
	b.Expect(`document.querySelector("#query-filters [aria-pressed=true]").textContent`, "All 60")
	b.Expect(`document.querySelector("#query-order").value`, "MRR")
	b.Expect(`(() => { const v = [...document.querySelectorAll("#query-list .rank")].map((e) => Number(e.textContent.replace("MRR ", ""))); return v.length > 1 && v.every((x, i) => !i || v[i - 1] <= x); })()`, "true")

	servers := serversOf(r.Aggregate.Retrieval.PerQuery)
	b.Eval(`document.querySelectorAll("#breakdown details").forEach((d) => d.open = true)`)
	b.Click(fmt.Sprintf(`a[data-part="Server: %s"]`, servers[0].name))
	b.Expect(`document.querySelector("#query-part").value`, "Server: "+servers[0].name)
	b.Expect(`document.querySelector("#query-order").value`, "")
	b.Expect(`document.querySelectorAll("#query-list .row").length`, fmt.Sprint(min(15, len(servers[0].queries))))
	b.quiet()
}

// The page shows how figures changed over the runs in the cache, and each query beside its answer
// in another report that the user opens.
func TestHistoryAndAnotherReport(t *testing.T) {
	r := sampleReport(t, 60)
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	plain := open(t, page)
	plain.Expect(`document.querySelector("#history").hidden`, "true")
	if page, err = WithRun(page, sampleRun()); err != nil {
		t.Fatal(err)
	}
	b := open(t, page)
	b.Expect(`[...document.querySelectorAll("#history article")].map((e) => e.textContent.replace(/\s+/g, " ")).join("|")`,
		"Recall@50.5000.4790.7332026-11-182026-11-200.700: 2026-11-18 22:00:00, reference, golden v00.712: 2026-11-19 22:00:00, <img src=x>, golden v10.500: 2026-11-20 22:00:00, <img src=x>, golden v1, drop-descriptions"+
			"|scanner</script> Recall0.9000.8901.0002026-11-182026-11-201.000: 2026-11-19 22:00:00, <img src=x>, golden v10.900: 2026-11-20 22:00:00, <img src=x>, golden v1, drop-descriptions")
	// The chart has its own scale: the lowest and the highest value are at its ends.
	b.Expect(`[...document.querySelectorAll("#history > .grid article:first-of-type circle")].map((e) => Number(e.getAttribute("cy"))).map((y, i, all) => y === Math.max(...all) ? "low" : y === Math.min(...all) ? "high" : "between").join()`, "between,high,low")
	b.Expect(`[...document.querySelectorAll("#history > .grid article:first-of-type circle")].map((e) => e.getAttribute("class")).join()`, "dot other,dot,dot other")
	b.Expect(`[...document.querySelectorAll("#history tbody tr")].map((e) => e.lastChild.textContent).join()`, "0.700,–")

	other := sampleReport(t, 60)
	other.Aggregate.Proxy = "the other"
	ranked := other.Aggregate.Retrieval.PerQuery[7].Ranked
	ranked[0], ranked[1] = ranked[1], ranked[0]
	changed := other.Aggregate.Retrieval.PerQuery[7].ID
	file := filepath.Join(t.TempDir(), "report.json")
	if err := contracts.Write(file, other); err != nil {
		t.Fatal(err)
	}
	b.Do(chromedp.SetUploadFiles(chromedp.CSS("#other"), []string{file}))
	b.Wait(`document.querySelector("#other-note").textContent !== ""`)
	b.Expect(`document.querySelector("#other-note").textContent`, "Each query also shows the ranked list from report.json (the other). 1 ranked list differs.")
	b.Expect(`document.querySelector("#query-filters [aria-pressed=true]").textContent`, "Differ 1")
	b.Click("#query-list .row")
	b.Expect(`document.querySelector("#query-list .detail").textContent.includes("id `+changed+`")`, "true")
	b.Expect(`[...document.querySelectorAll("#query-list .detail .other ol .id")].map((e) => e.textContent).slice(0, 2).join()`, ranked[0].ToolID+","+ranked[1].ToolID)
	b.Expect(`document.querySelector("#query-list .detail ol .id").textContent`, ranked[1].ToolID)
	b.quiet()

	if err := os.WriteFile(file, []byte(`{"aggregate": 1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	b.Do(chromedp.SetUploadFiles(chromedp.CSS("#other"), []string{file}))
	b.Wait(`document.querySelector("#other-note").textContent.startsWith("report.json is not a report.json")`)
	b.Expect(`document.querySelectorAll("#query-filters button").length`, "4")
}

// The first screen of a failed report shows what failed in numbers, what got
// worse and why, and the command that runs it again, without scrolling.
func TestFirstScreen(t *testing.T) {
	page, err := HTML(sampleReport(t, 280))
	if err != nil {
		t.Fatal(err)
	}
	run := sampleRun()
	run.Command = "touchstone gate --var degrade=drop-descriptions"
	if page, err = WithRun(page, run); err != nil {
		t.Fatal(err)
	}
	b := open(t, page, chromedp.EmulateViewport(1280, 800))
	b.Expect(`[...document.querySelectorAll(".failed tbody tr")].map((r) => [...r.children].map((c) => c.textContent).join(" | ")).join("\n")`,
		"nDCG@10 | 0.750 | 0.700 to 0.795 | ≥ 0.771 | −0.041 | –\nFPR, hard negatives (scanner) | 0.120 | 0.050 to 0.200 | ≤ 0.100 | – | –")
	b.Expect(`document.querySelectorAll("#worst li").length`, "5")
	b.Expect(`[...document.querySelectorAll("#worst .because")].some((e) => /rank 1 → \d+, replaced by \S+:/.test(e.textContent))`, "true")
	b.Expect(`document.querySelector("#context").textContent`, "Run it again: "+run.Command)
	// Shown lists what is visible on the first screen without scrolling.
	const shown = `[...document.querySelectorAll("#verdict h1, #sentence, .failed tbody tr, #worst li, #context")].filter((e) => {
		const r = e.getBoundingClientRect();
		return r.height > 0 && r.top >= 0 && r.bottom <= window.innerHeight && r.left >= 0 && r.right <= window.innerWidth;
	}).length`
	b.Expect(shown, "10")
	t.Run("phone", func(t *testing.T) {
		b.In(t).Do(chromedp.EmulateViewport(375, 800))
		b.Expect(shown, "6") // one of the regressions
		b.fits()
	})
	// Only the judged detector decides which entries come first.
	b.Expect(`document.querySelector("#detector-tabs [aria-pressed=true]").textContent`, "scanner")
	b.quiet()
}

func TestBigPageInABrowser(t *testing.T) {
	r := sampleReport(t, 10_000)
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	b := open(t, page)
	t.Logf("browser start and load: %v; the page took %s ms", time.Since(start), b.Eval(`Math.round(performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd)`))
	b.Expect(`document.querySelectorAll(".row").length < 100`, "true")
	b.Expect(`document.querySelector("#query-filters button:last-child").textContent`, "All 10000")
	b.Click("#query-filters button:last-child")
	b.Expect(`document.querySelectorAll("#query-list .row").length`, "15")
	b.Click("#query-list .more")
	b.Expect(`document.querySelectorAll("#query-list .row").length`, "65")
	b.Expect(`document.querySelector("#run").textContent`, "This page has no information about the run.")

	// A query that was answered well is far down in the list. The search must
	// find it with all its details.
	var far contracts.QuerySummary
	for _, q := range r.Aggregate.Retrieval.PerQuery {
		if q.Metrics["recall_at_1"] == 1 {
			far = q
		}
	}
	b.Do(chromedp.Focus(chromedp.CSS("#search")))
	b.Press(far.ID + kb.ArrowDown + kb.Enter)
	b.Expect(`document.querySelector("#query-list .row .text").textContent`, far.Query)
	b.Expect(`document.querySelectorAll("#query-list .detail ol li").length`, "10")
	b.Expect(`document.querySelector("#query-list .detail ol li").textContent`, far.Ranked[0].ToolID+"● right")
	b.Expect(`document.querySelector("#query-list .detail").textContent.includes("hortened")`, "false")
	b.quiet()
}

func TestPageFitsAndFollowsTheTheme(t *testing.T) {
	r := sampleReport(t, 280)
	r.Gate = contracts.Gate{Passed: true, Baseline: "v1", Checks: r.Gate.Checks[:2]}
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	ground := make(map[string]bool)
	for _, theme := range []string{"light", "dark"} {
		b := open(t, page, chromedp.EmulateViewport(375, 800), browser.Theme(theme))
		b.Expect(`document.querySelector("#verdict h1").textContent`, "Passed")
		b.Expect(`document.documentElement.scrollWidth <= window.innerWidth`, "true")
		ground[b.Eval(`getComputedStyle(document.body).backgroundColor`)] = true
		b.quiet()
	}
	if len(ground) != 2 {
		t.Errorf("light and dark look the same: %v", ground)
	}
}

// fits checks that no text makes the page wider than the window: wider content
// scrolls by itself, also with the keyboard.
func (b *tab) fits() {
	b.t.Helper()
	b.Expect(`document.documentElement.scrollWidth <= window.innerWidth`, "true")
	b.Expect(`[...document.querySelectorAll(".scroll")].every((e) => e.tabIndex === 0 && e.getAttribute("aria-label"))`, "true")
}

// Names are untrusted, and a long name without a space has no place to break.
func TestPageFitsLongNames(t *testing.T) {
	long := strings.Repeat("long", 60)
	r := sampleReport(t, 30)
	a := &r.Aggregate
	a.Proxy, a.Degraded, a.Validation.Warnings, a.Mutations.Detectors[0].Detector = long, "hide="+long, []string{long}, long
	for i := range a.Detectors {
		for k := range r.Gate.Checks {
			if r.Gate.Checks[k].Subject == a.Detectors[i].Score.Detector {
				r.Gate.Checks[k].Subject += long
			}
		}
		a.Detectors[i].Score.Detector += long
		for k := range a.Detectors[i].PerEntry {
			e := &a.Detectors[i].PerEntry[k]
			e.ID, e.Evidence, e.Signals = e.ID+long, long, []string{long}
		}
	}
	for i := range r.Gate.Checks {
		r.Gate.Checks[i].Rule = long
	}
	for i := range a.Retrieval.PerQuery {
		q := &a.Retrieval.PerQuery[i]
		q.Query, q.Notes = long, long
		for k := range q.Ranked {
			q.Ranked[k].ToolID += long
		}
	}
	for i := range r.Gate.Changes {
		r.Gate.Changes[i].ReplacedBy += long
	}
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	run := sampleRun()
	run.Instances[0].Stage = long
	run.MadeElsewhere = []contracts.MadeElsewhere{{Stage: long, Origin: long}}
	if page, err = WithRun(page, run); err != nil {
		t.Fatal(err)
	}
	widths := []int64{375, 1280}
	if level.IsThorough() {
		widths = append(widths, 800)
	}
	for _, width := range widths {
		b := open(t, page, chromedp.EmulateViewport(width, 800))
		b.Eval(`document.querySelectorAll(".row").forEach((e) => e.click())`)
		b.fits()
	}
}

// A name that changes the direction of writing affects only itself.
func TestPageIsolatesDirections(t *testing.T) {
	r := sampleReport(t, 60)
	for i := range r.Gate.Changes {
		r.Gate.Changes[i].Tool = "s:\u202eevil"
	}
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, page)
	b.Click("#moves .row")
	// The text after the name in the source must be to the right of the name.
	b.Expect(`(() => {
		const p = document.querySelector("#moves .detail p"), after = document.createRange();
		after.selectNodeContents(p.childNodes[1]);
		return p.textContent.includes(" before, ") && after.getClientRects()[0].left >= p.firstChild.getBoundingClientRect().right - 1;
	})()`, "true")
}

// A screen reader must read the marks, and the arrow keys scroll the page if
// the focus is not in a list.
func TestPageForKeyboardAndScreenReader(t *testing.T) {
	page, err := HTML(sampleReport(t, 60))
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, page)
	b.Expect(`[...document.querySelectorAll("#checks .mark")].map((e) => e.getAttribute("role") + " " + e.getAttribute("aria-label")).join()`,
		"img fails,img fails,img holds,img holds,img holds,img holds")
	for _, theme := range []string{"light", "dark"} {
		t.Run("axe, "+theme, func(t *testing.T) {
			b.Theme(theme)
			b.In(t).Axe()
		})
	}
	b.Press(kb.ArrowDown)
	b.Wait(`window.scrollY > 0`)
	b.Expect(`document.activeElement === document.body`, "true")
	b.Press("j" + kb.ArrowDown)
	b.Expect(`document.activeElement === document.querySelectorAll(".row")[1]`, "true")
}

// Without scripts the page shows the verdict and the figures, and names the
// files that have the rest.
func TestPageWithoutScripts(t *testing.T) {
	page, err := HTML(sampleReport(t, 60))
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, page, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
	b.Expect(`document.querySelector("#verdict h1").textContent`, "Failed")
	b.Expect(`document.querySelectorAll("#retrieval .plot").length > 7`, "true")
	b.Expect(`[...document.querySelectorAll("noscript")].filter((e) => e.innerText.includes("report.json")).length`, "3")
	b.Expect(`document.querySelector("#help-button").getClientRects().length`, "0")
}

// The page of a run without a verdict says so, fits and has no barriers.
func TestNoVerdictInABrowser(t *testing.T) {
	page, err := noVerdictHTMLPage(bounded(sampleNoVerdict(3)))
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, page, chromedp.EmulateViewport(375, 800))
	b.Expect(`document.querySelector("#verdict h1").textContent`, "No verdict")
	b.Expect(`document.querySelectorAll("#reasons li").length`, "3")
	b.fits()
	for _, theme := range []string{"light", "dark"} {
		b.Theme(theme)
		b.Axe()
	}
	b.quiet()
}
