package render

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/testload"
)

// browser starts a headless browser, or skips the test if there is none.
func browser(t *testing.T) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser is slow, and the race detector does not see inside it")
	}
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("no Chromium or Chrome is installed; the page is not opened in a browser")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(program),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.WindowSize(1280, 900), chromedp.WSURLReadTimeout(testload.Stretch(time.Minute)))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium's sandbox does not start as root
	}
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, stopTab := chromedp.NewContext(ctx)
	t.Cleanup(stopTab)
	ctx, stopTimer := context.WithTimeout(ctx, testload.Stretch(2*time.Minute))
	t.Cleanup(stopTimer)
	return ctx
}

// tab is an open page and what it did without input.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string
	errors   []string
}

// open serves a page on loopback and opens it.
func open(t *testing.T, page []byte, before ...chromedp.Action[chromedp.Void]) *tab {
	t.Helper()
	b := &tab{t: t, ctx: browser(t)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(page)
	}))
	t.Cleanup(server.Close)
	b.do(before...)
	_, networkErr := chromedp.Call(b.ctx, network.Enable, network.EnableParams{})
	_, logErr := chromedp.Call(b.ctx, log.Enable, cdp.Empty{})
	_, runtimeErr := chromedp.Call(b.ctx, runtime.Enable, cdp.Empty{})
	if err := errors.Join(networkErr, logErr, runtimeErr, chromedp.Listen(b.ctx, b.note)); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.Navigate(server.URL))
	return b
}

// note records the requests and errors of the page. Violations of the page's
// content security policy are log entries.
func (b *tab) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		b.errors = append(b.errors, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.errors = append(b.errors, fmt.Sprint(e.Type))
	case *log.EventEntryAdded:
		b.errors = append(b.errors, e.Entry.Text)
	}
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) click(selector string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// wait waits until a script expression is true.
func (b *tab) wait(script string) {
	b.t.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[bool](script)); err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
}

// eval returns the value of a script expression as text.
func (b *tab) eval(script string) string {
	b.t.Helper()
	out, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+script+")"))
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return out
}

func (b *tab) expect(script, want string) {
	b.t.Helper()
	if got := b.eval(script); got != want {
		b.t.Errorf("%s is %q, want %q", script, got, want)
	}
}

func (b *tab) press(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// quiet checks that the page loaded without errors or other requests.
func (b *tab) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	var outside []string
	for _, r := range b.requests {
		if !strings.HasPrefix(r, "data:") {
			outside = append(outside, r)
		}
	}
	if len(outside) != 1 {
		b.t.Errorf("the page requested %q", outside)
	}
	if len(b.errors) > 0 {
		b.t.Errorf("the console shows %q", b.errors)
	}
}

func TestPageInABrowser(t *testing.T) {
	page, err := HTML(sampleReport(t, 280))
	if err != nil {
		t.Fatal(err)
	}
	page, err = WithRun(page, sampleRun())
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, page)
	b.expect(`document.querySelector("#verdict h1").textContent`, "Failed")
	if got := b.eval(`document.querySelector("#sentence").textContent`); !strings.HasPrefix(got, "2 of 6 checks fail: nDCG@10 is 0.750") {
		t.Errorf("the sentence is %q", got)
	}
	b.expect(`document.querySelectorAll("#checks li.fail").length`, "2")
	b.expect(`document.querySelector("#checks li").className`, "fail")
	b.expect(`document.querySelectorAll(".plot").length > 20`, "true")

	// Failed and moved rows come first, the rest on demand.
	b.expect(`document.querySelectorAll("#moves .row").length`, "10")
	b.expect(`document.querySelectorAll("#query-list .row").length`, "15")
	b.expect(`document.querySelector("#query-list .row .state").textContent`, "regressed")
	b.click("#query-list .more")
	b.expect(`document.querySelectorAll("#query-list .row").length`, "65")

	// The keyboard: j and k walk, Enter opens, Escape closes.
	b.press("j")
	b.expect(`document.activeElement === document.querySelectorAll("#moves .row")[0]`, "true")
	b.press("j" + kb.ArrowDown + "k")
	b.expect(`document.activeElement === document.querySelectorAll("#moves .row")[1]`, "true")
	b.press(kb.Enter)
	b.expect(`document.activeElement.getAttribute("aria-expanded")`, "true")
	b.expect(`document.querySelectorAll("#moves .detail ol li").length`, "10")
	b.press(kb.Escape)
	b.expect(`document.querySelectorAll("#moves .detail").length`, "0")

	// "/" focuses the search, which also matches tools; Escape leaves it.
	b.press("/")
	b.expect(`document.activeElement.id`, "search")
	b.eval(`document.querySelector("#search").value = ""`) // the protocol types "/" even though the page prevents it
	b.press("q00002")
	b.wait(`document.querySelectorAll("#query-list .row").length === 1`)
	b.press(kb.ArrowDown + kb.Enter)
	b.wait(`document.querySelector("#query-list .detail") !== null`)

	// The text of this query is markup. The page must show it as plain text.
	b.expect(`document.querySelector("#query-list .row .text").textContent.includes("<img src=x onerror=")`, "true")
	b.expect(`document.querySelector("#query-list .detail").textContent.includes("connection reset </script>")`, "true")
	b.expect(`document.querySelectorAll("img, #query-list script").length`, "0")
	b.expect(`typeof window.pwned`, "undefined")
	b.do(chromedp.Focus(chromedp.CSS("#search")))
	b.press(kb.Escape)
	b.expect(`document.querySelector("#search").value + document.querySelectorAll("#query-list .row").length`, "15")

	// Detectors, entries and the pipeline.
	b.click(`#detector-tabs button:nth-child(5)`)
	b.expect(`document.querySelector("#detector-tabs [aria-pressed=true]").textContent`, "keywords")
	b.click(`#entry-list .row`)
	b.expect(`document.querySelectorAll("#entry-list .detail").length`, "1")
	b.expect(`document.querySelectorAll("#run .stages .meter").length`, "6")
	b.expect(`document.querySelector("#run").textContent.includes("aggregate</script>")`, "true")
	b.press("?")
	b.expect(`document.querySelector("#help").open`, "true")
	b.press(kb.Escape)
	b.expect(`document.querySelector("#help").open`, "false")
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
	t.Logf("browser start and load: %v; the page took %s ms", time.Since(start), b.eval(`Math.round(performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd)`))
	b.expect(`document.querySelectorAll(".row").length < 100`, "true")
	b.expect(`document.querySelector("#query-filters button:last-child").textContent`, "All 10000")
	b.click("#query-filters button:last-child")
	b.expect(`document.querySelectorAll("#query-list .row").length`, "15")
	b.click("#query-list .more")
	b.expect(`document.querySelectorAll("#query-list .row").length`, "65")
	b.expect(`document.querySelector("#run").textContent`, "No information about the run was recorded in this page.")

	// A query that was answered well is far down in the list. The search must
	// find it with all its details.
	var far contracts.QuerySummary
	for _, q := range r.Aggregate.Retrieval.PerQuery {
		if q.Metrics["recall_at_1"] == 1 {
			far = q
		}
	}
	b.do(chromedp.Focus(chromedp.CSS("#search")))
	b.press(far.ID)
	b.wait(`document.querySelectorAll("#query-list .row").length === 1`)
	b.press(kb.ArrowDown + kb.Enter)
	b.expect(`document.querySelector("#query-list .row .text").textContent`, far.Query)
	b.expect(`document.querySelectorAll("#query-list .detail ol li").length`, "10")
	b.expect(`document.querySelector("#query-list .detail ol li").textContent`, far.Ranked[0].ToolID+"● right")
	b.expect(`document.querySelector("#query-list .detail").textContent.includes("hortened")`, "false")
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
		scheme := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}}
		b := open(t, page, chromedp.EmulateViewport(375, 800), chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
			_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia, scheme)
			return err
		}))
		b.expect(`document.querySelector("#verdict h1").textContent`, "Passed")
		b.expect(`document.documentElement.scrollWidth <= window.innerWidth`, "true")
		ground[b.eval(`getComputedStyle(document.body).backgroundColor`)] = true
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
	b.expect(`document.documentElement.scrollWidth <= window.innerWidth`, "true")
	b.expect(`[...document.querySelectorAll(".scroll")].every((e) => e.tabIndex === 0 && e.getAttribute("aria-label"))`, "true")
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
	for i := range r.Gate.Moves {
		r.Gate.Moves[i].DisplacedBy += long
	}
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	run := sampleRun()
	run.Instances[0].Stage = long
	if page, err = WithRun(page, run); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int64{375, 800, 1280} {
		b := open(t, page, chromedp.EmulateViewport(width, 800))
		b.eval(`document.querySelectorAll(".row").forEach((e) => e.click())`)
		b.fits()
	}
}

func TestComparisonFits(t *testing.T) {
	c := sampleComparison(t, 5)
	c.A.Proxy, c.Detectors[0].Detector, c.Queries[0].A.Ranked[0].ToolID = strings.Repeat("long", 60), strings.Repeat("long", 60), strings.Repeat("long", 60)
	page, err := ComparisonHTML(c)
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, page, chromedp.EmulateViewport(375, 800))
	b.eval(`document.querySelectorAll("details").forEach((e) => e.open = true)`)
	b.fits()
	b.quiet()
}

// A name that changes the direction of writing affects only itself.
func TestPageIsolatesDirections(t *testing.T) {
	r := sampleReport(t, 60)
	for i := range r.Gate.Moves {
		r.Gate.Moves[i].Tool = "s:\u202eevil"
	}
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, page)
	b.click("#moves .row")
	// The text after the name in the source must be to the right of the name.
	b.expect(`(() => {
		const p = document.querySelector("#moves .detail p"), after = document.createRange();
		after.selectNodeContents(p.childNodes[1]);
		return p.textContent.includes("went from rank") && after.getClientRects()[0].left >= p.firstChild.getBoundingClientRect().right - 1;
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
	b.expect(`[...document.querySelectorAll("#checks .mark")].map((e) => e.getAttribute("role") + " " + e.getAttribute("aria-label")).join()`,
		"img fails,img fails,img holds,img holds,img holds,img holds")
	b.press(kb.ArrowDown)
	b.wait(`window.scrollY > 0`)
	b.expect(`document.activeElement === document.body`, "true")
	b.press("j" + kb.ArrowDown)
	b.expect(`document.activeElement === document.querySelectorAll(".row")[1]`, "true")
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
	b.expect(`document.querySelector("#verdict h1").textContent`, "Failed")
	b.expect(`document.querySelectorAll("#retrieval .plot").length > 7`, "true")
	b.expect(`[...document.querySelectorAll("noscript")].filter((e) => e.innerText.includes("report.json")).length`, "3")
	b.expect(`document.querySelector("#help-button").getClientRects().length`, "0")
}
