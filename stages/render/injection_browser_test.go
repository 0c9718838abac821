package render

import (
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"
)

// injections are texts that act if a page takes them as markup, as a script, as a style or as an
// address. Each sets window.pwned, makes a request, or adds an element that no report has.
var injections = []string{
	`<script>window.pwned=1</script>`,
	`</script><script>window.pwned=1</script>`,
	`<img src=x onerror=window.pwned=1>`,
	`" onmouseover="window.pwned=1" x="`,
	`' autofocus onfocus='window.pwned=1' x='`,
	`<svg><script>window.pwned=1</script></svg>`,
	`<svg/onload=window.pwned=1>`,
	`<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>`,
	`<a href="javascript:window.pwned=1">x</a>`,
	`javascript:window.pwned=1`,
	`<meta http-equiv=refresh content="0;url=/elsewhere">`,
	`<base href=/elsewhere/><link rel=stylesheet href=x>`,
	`<form action=/elsewhere><input name=x autofocus></form>`,
	`<style>*{background:url(/elsewhere)}</style>`,
	`</style><style>@import "/elsewhere";</style>`,
	`{{.}}${window.pwned=1}` + "`" + `+(window.pwned=1)+` + "`",
	`"};window.pwned=1;//`,
	`\u003cscript\u003ewindow.pwned=1\u003c/script\u003e`,
	"\u2028window.pwned=1\u2029",
	`<!--<script>`,
	`--><script>window.pwned=1</script>`,
	`]]><script>window.pwned=1</script>`,
	`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.pwned=1&gt;">`,
	`<noscript><p title="</noscript><img src=x onerror=window.pwned=1>">`,
	`<details open ontoggle=window.pwned=1>`,
	"<scr\x00ipt>window.pwned=1</scr\x00ipt>",
	"\x1b]8;;javascript:window.pwned=1\x07x",
}

// A browser takes no text of a report as anything but text, whichever field it comes from. The
// number of pages is TOUCHSTONE_INJECTIONS.
func TestInjectionsInABrowser(t *testing.T) {
	pages := 3
	if v := os.Getenv("TOUCHSTONE_INJECTIONS"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			t.Fatalf("TOUCHSTONE_INJECTIONS: %v", err)
		}
		pages = n
	}
	places := map[string]bool{}
	r := sampleReport(t, 8)
	texts(reflect.ValueOf(&r), "report", func(place string, _ reflect.Value) { places[place] = true })
	names := slices.Sorted(maps.Keys(places))
	random := rand.New(rand.NewPCG(1, uint64(pages)))
	for n := range pages {
		// Some texts choose what is shown, so only a part of the places gets other ones.
		chosen := map[string]bool{}
		for _, i := range random.Perm(len(names))[:12] {
			chosen[names[i]] = true
		}
		payload := injections[(n*7+random.IntN(2))%len(injections)]
		inject := func(at string, s reflect.Value) {
			if chosen[at] {
				s.SetString(s.String() + payload)
			}
		}
		r, run := sampleReport(t, 8), sampleRun()
		texts(reflect.ValueOf(&r), "report", inject)
		run.Command += payload
		run.Changed = append(run.Changed, payload)
		run.History.Runs[0].Proxy = payload
		page, err := HTML(r)
		if err == nil {
			page, err = WithRun(page, run)
		}
		if err != nil {
			t.Fatalf("%q in %v: %v", payload, chosen, err)
		}
		// Each page has a test of its own, which closes it: hundreds of open pages slow the browser down.
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			b := open(t, page)
			b.Eval(`document.querySelectorAll(".chips button, .row, summary").forEach((e) => e.click())`)
			b.Eval(`document.querySelectorAll(".row").forEach((e) => e.click())`)
			b.Expect(`typeof window.pwned`, "undefined")
			b.Expect(`document.querySelectorAll("img, iframe, form, base, link:not([rel=icon]), object, embed, math, svg script, meta[http-equiv=refresh], [href^='javascript:'], [onerror], [onload], [onmouseover], [onfocus], [ontoggle]").length`, "0")
			b.Expect(`document.scripts.length + " " + document.querySelectorAll("style").length`, "5 1")
			b.quiet()
			if t.Failed() {
				t.Fatalf("page %d: %q in %v", n, payload, slices.Sorted(maps.Keys(chosen)))
			}
		})
	}
	t.Logf("%d pages, %d places, %d texts", pages, len(names), len(injections))
}
