package render

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// texts calls visit with every string in a value and the name of its place.
func texts(v reflect.Value, place string, visit func(place string, s reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			texts(v.Elem(), place, visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				texts(v.Field(i), place+"."+v.Type().Field(i).Name, visit)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			texts(v.Index(i), place+"[]", visit)
		}
	case reflect.String:
		if v.CanSet() {
			visit(place, v)
		}
	}
}

// live finds text that acts in Markdown or on a screen: a link, a tag, a mention, or a
// character that moves the cursor or turns the text around.
var (
	live   = regexp.MustCompile(`\]\(https?:|https?://|<img|@everyone|<script>pwned`)
	acting = regexp.MustCompile("[\\x00-\\x08\\x0b-\\x1f\\x7f\u0080-\u009f\u202a-\u202e\u2066-\u2069]")
)

// No text of a report is live in a report, whichever field it comes from.
func TestNoFieldIsLive(t *testing.T) {
	const payload = "[x](https://evil.example/) <img src=x> @everyone <script>pwned</script> \x00\x07\x1b[31m\u009b\u202e\x7f"
	places := map[string]bool{}
	r := sampleReport(t, 8)
	texts(reflect.ValueOf(&r), "report", func(place string, _ reflect.Value) { places[place] = true })
	if len(places) < 60 {
		t.Fatalf("only %d places", len(places))
	}
	// Injecting into all places at once would remove rows, because of unknown
	// metrics, for example.
	const rounds = 12
	for round := range rounds {
		r := sampleReport(t, 8)
		place := fmt.Sprintf("one of round %d", round)
		for i, name := range slices.Sorted(maps.Keys(places)) {
			if i%rounds != round {
				continue
			}
			texts(reflect.ValueOf(&r), "report", func(at string, s reflect.Value) {
				if at == name {
					s.SetString(s.String() + name + payload)
				}
			})
		}
		page, err := HTML(r)
		if err != nil {
			t.Fatalf("%s: %v", place, err)
		}
		run := sampleRun()
		run.Command += payload
		if page, err = WithRun(page, run); err != nil {
			t.Fatal(err)
		}
		shown := regexp.MustCompile(`(?s)<script.*?</script>`).ReplaceAllString(string(page), "")
		if at := regexp.MustCompile(`<img|<script>pwned`).FindStringIndex(shown); at != nil {
			t.Errorf("%s is live in report.html: %s", place, around(shown, at))
		}
		for name, text := range map[string]string{"report.html": string(page), "report.md": string(Markdown(r))} {
			if at := acting.FindStringIndex(text); at != nil {
				t.Errorf("%s puts control characters into %s: %s", place, name, around(text, at))
			}
		}
		text := strings.ReplaceAll(string(Markdown(r)), CommentMarker, "")
		if at := live.FindStringIndex(text); at != nil {
			t.Errorf("%s is live in report.md: %s", place, around(text, at))
		}
	}
}

func around(text string, at []int) string {
	return fmt.Sprintf("%q", text[max(0, at[0]-80):min(len(text), at[1]+40)])
}
