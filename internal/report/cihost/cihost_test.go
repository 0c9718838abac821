package cihost

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sample = "::error file=datasets/golden%2C1.json,line=2,col=7,title=Touchstone%3A invalid::one%0Atwo 5%25\n" +
	"::warning title=Touchstone%3A q1 regressed::was at rank 1\n::notice title=Touchstone%3A the gate failed::2 checks\n"

func parse(t *testing.T) []Annotation {
	t.Helper()
	list, err := ParseAnnotations(strings.NewReader(sample))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestAnnotations(t *testing.T) {
	list := parse(t)
	want := []Annotation{
		{LevelError, "Touchstone: invalid", "one\ntwo 5%", "datasets/golden,1.json", 2, 7},
		{LevelWarning, "Touchstone: q1 regressed", "was at rank 1", "", 0, 0},
		{LevelNotice, "Touchstone: the gate failed", "2 checks", "", 0, 0},
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Error(diff)
	}
	if got := string(GitHub(list)); got != sample {
		t.Errorf("written again:\n%s", got)
	}
	Below(list, "eval")
	if list[0].File != "eval/datasets/golden,1.json" || list[1].File != "" {
		t.Errorf("%+v", list)
	}
}

func TestLinesThatAreNotAnnotations(t *testing.T) {
	for text, want := range map[string]string{
		"hello\n":                    `line 1: "hello" is not an annotation`,
		"::error title=a::b\n::x\n":  "line 2: ",
		"::set-output name=a::b\n":   `"set-output" is not a level`,
		"::error line=-1,title=a::b": `line: "-1" is not a number`,
		"::error col=x::b":           `col: "x" is not a number`,
	} {
		if _, err := ParseAnnotations(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestFormats(t *testing.T) {
	text, err := SARIF(parse(t), "eval/pipeline.hcl")
	if err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct {
			Results []struct {
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(text, &log); err != nil {
		t.Fatal(err)
	}
	results := log.Runs[0].Results
	if len(results) != 2 || results[0].Level != "error" || results[0].Message.Text != "invalid: one\ntwo 5%" {
		t.Fatalf("%s", text)
	}
	if place := results[0].Locations[0].PhysicalLocation; place.ArtifactLocation.URI != "datasets/golden,1.json" || place.Region.StartLine != 2 {
		t.Errorf("%+v", place)
	}
	if place := results[1].Locations[0].PhysicalLocation; place.ArtifactLocation.URI != "eval/pipeline.hcl" || place.Region.StartLine != 1 {
		t.Errorf("%+v", place)
	}

	text, err = CodeQuality(parse(t), "pipeline.hcl")
	if err != nil {
		t.Fatal(err)
	}
	var issues []issue
	if err := json.Unmarshal(text, &issues); err != nil {
		t.Fatal(err)
	}
	if len(issues) != 2 || issues[0].Severity != "major" || issues[0].Location.Lines.Begin != 2 ||
		issues[1].Severity != "minor" || issues[1].Location.Path != "pipeline.hcl" || issues[0].Fingerprint == issues[1].Fingerprint {
		t.Errorf("%s", text)
	}
	if text, err := CodeQuality(nil, "p"); err != nil || string(text) != "[]\n" {
		t.Errorf("nothing: %q, %v", text, err)
	}
}

func TestComments(t *testing.T) {
	const ours = "<!-- touchstone: gate -->\n"
	other := func(n int) []comment { return make([]comment, n) }
	bot := comment{ID: 7, Body: ours + "old"}
	bot.User.Type = "Bot"
	forged := comment{ID: 8, Body: ours + "passed", Association: "CONTRIBUTOR"}
	for name, tt := range map[string]struct {
		pages  [][]comment
		status int
		want   string
		err    error
	}{
		"first":       {[][]comment{other(3)}, 0, "POST /repos/o/r/issues/5/comments", nil},
		"again":       {[][]comment{{bot}}, 0, "PATCH /repos/o/r/issues/comments/7", nil},
		"second page": {[][]comment{other(100), {bot}}, 0, "PATCH /repos/o/r/issues/comments/7", nil},
		"forged":      {[][]comment{{forged}}, 0, "POST /repos/o/r/issues/5/comments", nil},
		"fork":        {[][]comment{{}}, http.StatusForbidden, "", ErrNotAllowed},
	} {
		t.Run(name, func(t *testing.T) {
			var wrote, body string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer secret" {
					t.Errorf("authorization %q", r.Header.Get("Authorization"))
				}
				if r.Method == http.MethodGet {
					page := 0
					if p := r.URL.Query().Get("page"); p == "2" {
						page = 1
					}
					_ = json.NewEncoder(w).Encode(tt.pages[page])
					return
				}
				if tt.status != 0 {
					w.WriteHeader(tt.status)
					return
				}
				var in struct{ Body string }
				_ = json.NewDecoder(r.Body).Decode(&in)
				wrote, body = r.Method+" "+r.URL.Path, in.Body
			}))
			defer server.Close()
			c := Comments{API: server.URL, Repository: "o/r", Number: 5, Token: "secret", Client: server.Client()}
			err := c.Set(t.Context(), "gate", "new")
			if !errors.Is(err, tt.err) || wrote != tt.want || tt.want != "" && body != ours+"new" {
				t.Errorf("%v; %q with %q", err, wrote, body)
			}
		})
	}
}

func TestLongCommentsAreCut(t *testing.T) {
	text := shortened(strings.Repeat("ü line\n", 20000), 1000)
	if len(text) > 1000 || !strings.HasSuffix(text, "ü line\n\nThe rest is in the report.\n") {
		t.Errorf("%d bytes: %q", len(text), text[len(text)-80:])
	}
	if text := shortened(strings.Repeat("ü", 20000), 1000); len(text) > 1000 || strings.ContainsRune(text, '\uFFFD') {
		t.Errorf("%q", text[900:])
	}
}

func FuzzAnnotations(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("::error ::\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := ParseAnnotations(bytes.NewReader(text))
		if err != nil {
			return
		}
		again, err := ParseAnnotations(bytes.NewReader(GitHub(list)))
		if err != nil {
			t.Fatalf("%q: %v", GitHub(list), err)
		}
		if diff := cmp.Diff(list, again); diff != "" {
			t.Error(diff)
		}
	})
}
