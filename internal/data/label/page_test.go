package label

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/testing/browser"
)

// page opens the page of a session.
func page(t *testing.T, o Options) (*Session, *browser.Tab, string) {
	t.Helper()
	s := open(t, o)
	server := httptest.NewServer(Handler(s))
	t.Cleanup(func() {
		server.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	tab := browser.Open(t, server.URL+"/")
	tab.Wait(`document.querySelectorAll("article").length > 0`)
	return s, tab, server.URL
}

const focused = `document.activeElement.tagName + " " + (document.activeElement.getAttribute("aria-label") || "")`

// The keyboard alone judges, takes back, moves about and exports.
func TestKeyboardJudges(t *testing.T) {
	o := small(t)
	_, tab, url := page(t, o)
	tab.Expect(focused, "ARTICLE chop of kitchen")
	tab.Expect(`document.querySelector("#query").textContent`, "the <i>text</i> of q1")
	tab.Expect(`document.querySelectorAll("article th[scope=row]")[0].textContent`, "amount *")
	tab.Expect(`document.querySelectorAll("#tools b, #tools i").length`, "0")
	tab.Press("2")
	tab.Wait(`document.querySelector("#said").textContent === "1 of 4 pairs labelled"`)
	tab.Expect(focused, "ARTICLE boil of kitchen")
	// The last grade of a query leads to the next one.
	tab.Press("0")
	tab.Wait(`document.querySelector("#about").textContent === "q2"`)
	tab.Expect(`document.querySelector("progress").value`, "2")
	tab.Press("u")
	tab.Wait(`document.querySelector("#about").textContent === "q1"`)
	tab.Wait(`document.querySelector("#said").textContent === "1 of 4 pairs labelled"`)
	tab.Expect(focused, "ARTICLE boil of kitchen")
	tab.Expect(`[...document.querySelectorAll("[aria-pressed=true]")].map((b) => b.textContent).join()`, "2 right tool")
	// Keys that come faster than the answers count in their order.
	tab.Press("1")
	tab.Press("0")
	tab.Press("1")
	tab.Wait(`document.querySelector("#said").textContent === "4 of 4 pairs labelled"`)
	tab.Wait(`document.querySelector("#message").textContent === "This was the last query."`)
	tab.Press("p")
	tab.Wait(`document.querySelector("#about").textContent === "q1"`)
	tab.Press(kb.ArrowRight)
	tab.Wait(focused + ` === "ARTICLE boil of kitchen"`)
	tab.Press(kb.ArrowLeft)
	tab.Wait(focused + ` === "ARTICLE chop of kitchen"`)
	tab.Press("g")
	tab.Expect(`document.activeElement.id`, "number")
	tab.Press("2" + kb.Enter)
	tab.Wait(`document.querySelector("#about").textContent === "q2"`)
	tab.Press("e")
	tab.Wait(`document.querySelector("#message").textContent.startsWith("Exported 4 labels to ")`)
	exported, err := contracts.Read[contracts.Judgements](o.Out)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, q := range exported.Judged {
		for _, l := range q.Labels {
			got += fmt.Sprintf("%s %s %d, ", q.ID, l.ToolID, l.Relevance)
		}
	}
	if want := "q1 kitchen:chop 2, q1 kitchen:boil 1, q2 kitchen:chop 0, q2 kitchen:boil 1, "; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if said := tab.Errors(); len(said) > 0 {
		t.Errorf("the console says %q", said)
	}
	for _, request := range tab.Requests() {
		if !strings.HasPrefix(request, url) && !strings.HasPrefix(request, "data:") {
			t.Errorf("the page asked for %s", request)
		}
	}
}

func TestPageWithoutBarriers(t *testing.T) {
	_, tab, _ := page(t, small(t))
	tab.Press("2")
	tab.Wait(`document.querySelector("#said").textContent === "1 of 4 pairs labelled"`)
	tab.Eval(`document.querySelectorAll("details").forEach((d) => d.open = true)`)
	for _, theme := range []string{"light", "dark"} {
		t.Run(theme, func(t *testing.T) {
			tab.Theme(theme)
			tab.In(t).Axe()
		})
	}
}

// A pool of 5,000 queries is judged like a small one.
func TestManyItems(t *testing.T) {
	o := small(t)
	o.Pool.Items = nil
	for i := range 5000 {
		o.Pool.Items = append(o.Pool.Items, contracts.PoolItem{ID: fmt.Sprint("q", i+1), Query: fmt.Sprint("text ", i+1), Tools: []string{"kitchen:chop", "kitchen:boil"}})
	}
	s := open(t, o)
	for _, item := range o.Pool.Items[:4998] {
		s.grades[pair{item.ID, "kitchen:chop"}], s.grades[pair{item.ID, "kitchen:boil"}] = 0, 1
	}
	server := httptest.NewServer(Handler(s))
	defer server.Close()
	defer s.Close()
	tab := browser.Open(t, server.URL+"/")
	tab.Wait(`document.querySelector("#about").textContent === "q4999"`)
	tab.Expect(`document.querySelector("#said").textContent`, "9996 of 10000 pairs labelled")
	tab.Press("1")
	tab.Press("2")
	tab.Wait(`document.querySelector("#about").textContent === "q5000"`)
	tab.Press("g")
	tab.Press("1" + kb.Enter)
	tab.Wait(`document.querySelector("#about").textContent === "q1"`)
	tab.Expect(`[...document.querySelectorAll("[aria-pressed=true]")].map((b) => b.textContent).join()`, "0 not relevant,1 acceptable")
	tab.Press("o")
	tab.Wait(`document.querySelector("#about").textContent === "q5000"`)
	if _, err := s.Export(); err != nil {
		t.Fatal(err)
	}
}

// A second judge sees no grade of the first one, in the page or in any answer.
func TestSecondJudgeSeesNoGrades(t *testing.T) {
	o := small(t)
	first := map[string]map[contracts.ToolID]int{"q2": {"kitchen:boil": 2}}
	var err error
	if o.Pool, err = Second(o.Pool, first, 1); err != nil {
		t.Fatal(err)
	}
	_, tab, url := page(t, o)
	tab.Expect(`document.querySelector("#about").textContent`, "q2")
	tab.Expect(`document.querySelector("#said").textContent`, "0 of 1 pairs labelled")
	tab.Expect(`document.querySelectorAll("[aria-pressed=true], [class^=grade-]").length`, "0")
	for _, path := range []string{"/", "/api/progress", "/api/items/0"} {
		text := tab.Eval(`fetch("` + url + path + `").then((r) => r.text())`)
		if strings.Contains(text, `"relevance":2`) || strings.Contains(text, `"by"`) {
			t.Errorf("%s says %s", path, text)
		}
	}
}

// Whoever settles a disagreement sees the grades of both judges.
func TestSettlingShowsBothGrades(t *testing.T) {
	o := small(t)
	var err error
	o.Pool, o.Given, err = Disputed(o.Pool, Judged{"Ann <b>", map[string]map[contracts.ToolID]int{"q2": {"kitchen:boil": 2}}}, Judged{"Bob", map[string]map[contracts.ToolID]int{"q2": {"kitchen:boil": 0}}})
	if err != nil {
		t.Fatal(err)
	}
	s, tab, _ := page(t, o)
	tab.Expect(`document.querySelector("#about").textContent`, "q2")
	tab.Expect(`document.querySelector(".given").textContent`, "Ann <b>: 2, Bob: 0")
	tab.Press("1")
	tab.Wait(`document.querySelector("#message").textContent === "This was the last query."`)
	if item, _ := s.Item(0); *item.Tools[0].Relevance != 1 {
		t.Errorf("%+v", item)
	}
}

// A judgement that cannot be saved is not shown as done.
func TestFailureIsShown(t *testing.T) {
	s, tab, _ := page(t, small(t))
	if err := s.journal.file.Close(); err != nil {
		t.Fatal(err)
	}
	tab.Press("2")
	tab.Wait(`document.querySelector("#message").textContent.startsWith("cannot save the label")`)
	tab.Expect(`document.querySelector("#said").textContent`, "0 of 4 pairs labelled")
	tab.Expect(`document.querySelectorAll("[aria-pressed=true]").length`, "0")
	s.journal.file, _ = os.Open(os.DevNull) // for Close
}

func TestOtherSitesAreRefused(t *testing.T) {
	s := open(t, small(t))
	defer s.Close()
	handler := Handler(s)
	ask := func(method, host string, header http.Header, body string) int {
		r := httptest.NewRequest(method, "http://127.0.0.1/api/judge", strings.NewReader(body))
		r.Host = host
		r.Header = header
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Code
	}
	good := `{"query":"q1","tool":"kitchen:chop","relevance":1}`
	for what, tc := range map[string]struct {
		host   string
		header http.Header
		body   string
		want   int
	}{
		"this page":        {"127.0.0.1:8322", http.Header{}, good, http.StatusOK},
		"by name":          {"localhost:8322", http.Header{}, good, http.StatusOK},
		"a rebound name":   {"evil.example:8322", http.Header{}, good, http.StatusMisdirectedRequest},
		"another origin":   {"127.0.0.1:8322", http.Header{"Sec-Fetch-Site": {"cross-site"}}, good, http.StatusForbidden},
		"no judgement":     {"127.0.0.1:8322", http.Header{}, `{"query":"q1","tool":"kitchen:chop"}`, http.StatusBadRequest},
		"no JSON":          {"127.0.0.1:8322", http.Header{}, `grade 1`, http.StatusBadRequest},
		"a tool of no one": {"127.0.0.1:8322", http.Header{}, `{"query":"q1","tool":"a:b","relevance":1}`, http.StatusUnprocessableEntity},
	} {
		if got := ask("POST", tc.host, tc.header, tc.body); got != tc.want {
			t.Errorf("%s: %d, want %d", what, got, tc.want)
		}
	}
	if _, err := Listen("0.0.0.0:0"); err == nil || !strings.Contains(err.Error(), "other machines can reach") {
		t.Errorf("listens for other machines: %v", err)
	}
}
