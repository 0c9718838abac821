package browser

import (
	"context"
	"errors"
	"fmt"
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

	"github.com/touchstone-eval/touchstone/internal/testing/load"
)

// shared is the browser of this process. It starts with the first page, and M.Run
// ends it.
var shared struct {
	once sync.Once
	ctx  context.Context
	err  error
	stop func()
}

// errNoBrowser is the error if no browser is installed.
var errNoBrowser = errors.New("no Chromium or Chrome is installed; the page is not opened in a browser")

// M is a testing.M whose Run ends the browser. Every test package that opens pages
// must use it in TestMain.
type M struct{ *testing.M }

// Run runs the tests.
func (m M) Run() int {
	defer func() {
		if shared.stop != nil {
			shared.stop()
		}
	}()
	return m.M.Run()
}

// start starts the headless browser.
func start() (context.Context, error) {
	shared.once.Do(func() {
		program := ""
		for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
			"chrome"} {
			if path, err := exec.LookPath(name); err == nil {
				program = path
				break
			}
		}

		if program == "" {
			shared.err = errNoBrowser
			return
		}

		options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
			chromedp.ExecPath(program),
			chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
			chromedp.WindowSize(1280, 900), chromedp.WSURLReadTimeout(load.Stretch(time.Minute)))
		if os.Geteuid() == 0 {
			options = append(options, chromedp.NoSandbox) // Chromium's sandbox does not start as root
		}

		ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, stopTab := chromedp.NewContext(ctx)
		shared.stop = func() { stopTab(); stop() }
		shared.ctx, shared.err = ctx, chromedp.Do(ctx)
	})
	return shared.ctx, shared.err
}

// newTab opens a tab with storage of its own in the shared browser, or skips the
// test if there is no browser.
func newTab(t *testing.T) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser is slow, and the race detector does not see inside it")
	}

	browser, err := start()
	if errors.Is(err, errNoBrowser) {
		t.Skip(err)
	}

	if err != nil {
		t.Fatal(err)
	}

	ctx, stop := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(stop)
	ctx, stopTimer := context.WithTimeout(ctx, load.Stretch(2*time.Minute))
	t.Cleanup(stopTimer)
	return ctx
}

// Tab is an open page. Its methods fail the test where they cannot do their work.
type Tab struct {
	t    *testing.T
	ctx  context.Context
	seen *seen
}

// seen is what a page did without input.
type seen struct {
	mu       sync.Mutex
	requests []string
	errors   []string
}

// Step is something that a browser does.
type Step = chromedp.Action[chromedp.Void]

// Open opens a tab, takes the steps before, and opens the page at a URL.
func Open(t *testing.T, url string, before ...Step) *Tab {
	t.Helper()
	b := &Tab{t: t, ctx: newTab(t), seen: &seen{}}
	b.Do(before...)
	_, networkErr := chromedp.Call(b.ctx, network.Enable, network.EnableParams{})
	_, logErr := chromedp.Call(b.ctx, log.Enable, cdp.Empty{})
	_, runtimeErr := chromedp.Call(b.ctx, runtime.Enable, cdp.Empty{})
	if err := errors.Join(networkErr, logErr, runtimeErr, chromedp.Listen(b.ctx, b.seen.note)); err != nil {
		t.Fatal(err)
	}

	// A browser gives up loading when an interface of the machine changes, as it does
	// when a container starts.
	for range 10 {
		b.Do(chromedp.Navigate(url))
		if !b.seen.forget("net::ERR_NETWORK_CHANGED") {
			break
		}
	}

	return b
}

// forget removes what was seen so far if one of its errors contains a text, and
// reports whether it did.
func (s *seen) forget(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.ContainsFunc(s.errors, func(e string) bool { return strings.Contains(e, text) }) {
		return false
	}
	s.errors, s.requests = nil, nil
	return true
}

// In returns the tab for a subtest.
func (b *Tab) In(t *testing.T) *Tab { return &Tab{t: t, ctx: b.ctx, seen: b.seen} }

// note records the requests and errors of the page. Violations of the page's
// content security policy are log entries.
func (s *seen) note(event any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		s.requests = append(s.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		s.errors = append(s.errors, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		s.errors = append(s.errors, fmt.Sprint(e.Type))
	case *log.EventEntryAdded:
		s.errors = append(s.errors, e.Entry.Text)
	}
}

// Requests are the URLs that the page has asked for so far.
func (b *Tab) Requests() []string {
	b.seen.mu.Lock()
	defer b.seen.mu.Unlock()
	return slices.Clone(b.seen.requests)
}

// Errors returns what the console has said since the last call.
func (b *Tab) Errors() []string {
	b.seen.mu.Lock()
	defer b.seen.mu.Unlock()
	said := b.seen.errors
	b.seen.errors = nil
	return said
}

// Do takes steps.
func (b *Tab) Do(steps ...Step) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// Click clicks the element of a CSS selector.
func (b *Tab) Click(selector string) {
	b.t.Helper()
	b.Do(chromedp.Click(chromedp.CSS(selector)))
}

// Press types keys, which may be those of package kb.
func (b *Tab) Press(keys string) {
	b.t.Helper()
	b.Do(chromedp.KeyEvent(keys))
}

// Wait waits until a script expression is true.
func (b *Tab) Wait(script string) {
	b.t.Helper()
	within, cancel := context.WithTimeout(b.ctx, load.Stretch(30*time.Second))
	defer cancel()
	if _, err := chromedp.Run(within, chromedp.Poll[bool](script)); err != nil {
		text, _ := chromedp.Run(b.ctx,
			chromedp.Evaluate[string](`document.body ? document.body.innerText.slice(0, 2000) : ""`))
		b.t.Fatalf("%s: %v; the console says %q; the page asked for %q and says:\n%s", script, err, b.Errors(),
			b.Requests(), text)
	}
}

// Eval returns what a script expression gives, as text. A promise is awaited.
func (b *Tab) Eval(script string) string {
	b.t.Helper()
	out, err := chromedp.Run(b.ctx,
		chromedp.Evaluate[string]("(async () => String(await ("+script+")))()", chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return out
}

// Expect checks what Eval returns.
func (b *Tab) Expect(script, want string) {
	b.t.Helper()
	if got := b.Eval(script); got != want {
		b.t.Errorf("%s is %q, want %q", script, got, want)
	}
}

// Theme has the page follow a colour scheme, "dark" or "light".
func (b *Tab) Theme(name string) {
	b.t.Helper()
	b.Do(Theme(name))
}

// Theme is Tab.Theme as a step.
func Theme(name string) Step {
	scheme := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme",
		Value: name}}}
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, scheme)
		return err
	})
}
