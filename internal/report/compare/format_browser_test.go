package compare

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/touchstone-eval/touchstone/internal/testing/browser"
)

func TestMain(m *testing.M) { os.Exit(browser.M{M: m}.Run()) }

// Names are untrusted, and a long name without a space has no place to break: no
// name makes the page wider than the window. The page loads nothing else.
func TestPageFitsLongNames(t *testing.T) {
	c := sampleComparison(t, 5)
	long := strings.Repeat("long", 60)
	c.A.Proxy, c.Detectors[0].Detector, c.Queries[0].A.Ranked[0].ToolID = long, long, long
	page, err := HTML(c)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(page)
	}))
	t.Cleanup(server.Close)
	b := browser.Open(t, server.URL, chromedp.EmulateViewport(375, 800))
	b.Eval(`document.querySelectorAll("details").forEach((e) => e.open = true)`)
	b.Expect(`document.documentElement.scrollWidth <= window.innerWidth`, "true")
	b.Expect(`[...document.querySelectorAll(".scroll")].every((e) => e.tabIndex === 0 && e.getAttribute("aria-label"))`, "true")
	for _, request := range b.Requests()[1:] {
		if !strings.HasPrefix(request, "data:") {
			t.Errorf("the page requested %s", request)
		}
	}
	if logged := b.Errors(); len(logged) > 0 {
		t.Errorf("the console shows %q", logged)
	}
}
