package pipeline

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
)

// A fixture in testdata/errors contains its expected diagnostics. A comment
// "ERROR: text; text" (or "WARNING:") at the end of a line expects a diagnostic
// that starts in that line and contains all the texts. "ERROR@:" expects one
// without a place. "VAR: name=value" sets a variable. No other diagnostics are
// allowed. A directory is a fixture of several files.

type expectation struct {
	file     string
	line     int // 0: no place
	severity hcl.DiagnosticSeverity
	texts    []string
}

func (e expectation) String() string {
	return fmt.Sprintf("%s:%d: %s", e.file, e.line, strings.Join(e.texts, "; "))
}

func (e expectation) matches(d *hcl.Diagnostic) bool {
	file, line := "", 0
	if d.Subject != nil {
		file, line = d.Subject.Filename, d.Subject.Start.Line
	}
	if d.Severity != e.severity || line != e.line || line > 0 && file != e.file {
		return false
	}
	for _, text := range e.texts {
		if !strings.Contains(d.Summary+": "+d.Detail, text) {
			return false
		}
	}
	return true
}

func readFixture(t *testing.T, path string) (expected []expectation, vars []string) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(src))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		for _, comment := range strings.Split(lines.Text(), "# ")[1:] {
			kind, text, ok := strings.Cut(strings.TrimSpace(comment), ": ")
			e := expectation{file: path, line: n, severity: hcl.DiagError, texts: strings.Split(text, "; ")}
			switch kind {
			case "VAR":
				vars = append(vars, text)
				continue
			case "ERROR":
			case "WARNING":
				e.severity = hcl.DiagWarning
			case "ERROR@":
				e.line = 0
			default:
				continue
			}
			if ok {
				expected = append(expected, e)
			}
		}
	}
	return expected, vars
}

// readFixtures reads the expectations of a file, or of all files of a
// directory.
func readFixtures(t *testing.T, path string) (expected []expectation, vars []string) {
	t.Helper()
	err := filepath.WalkDir(path, func(file string, e fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(file) == ".hcl" {
			more, set := readFixture(t, file)
			expected, vars = append(expected, more...), append(vars, set...)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return expected, vars
}

func TestErrors(t *testing.T) {
	fixtures, err := filepath.Glob("testdata/errors/*")
	if err != nil || len(fixtures) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, path := range fixtures {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".hcl"), func(t *testing.T) {
			t.Parallel()
			expected, vars := readFixtures(t, path)
			if len(expected) == 0 {
				t.Fatal("the fixture expects nothing")
			}
			plan, diags, files := Load(Options{File: path, Vars: vars, Version: "1.2.3"})
			if (plan == nil) != diags.HasErrors() {
				t.Errorf("plan is nil: %v, errors: %v", plan == nil, diags.HasErrors())
			}
			left := expected
			for _, d := range diags {
				found := false
				for i, e := range left {
					if e.matches(d) {
						left = append(left[:i:i], left[i+1:]...)
						found = true
						break
					}
				}
				if !found {
					t.Errorf("unexpected: %s", d)
				}
				if d.Detail == "" || !strings.ContainsAny(d.Detail[len(d.Detail)-1:], ".?!") {
					t.Errorf("the detail is no sentence: %q", d.Detail)
				}
			}
			for _, e := range left {
				t.Errorf("not reported: %s", e)
			}
			var out bytes.Buffer
			if err := WriteDiagnostics(&out, diags, files, false, 80); err != nil {
				t.Error(err)
			}
			for _, d := range diags {
				if !strings.Contains(out.String(), d.Summary) {
					t.Errorf("the writer left out %q:\n%s", d.Summary, &out)
				}
			}
			if t.Failed() {
				t.Logf("all diagnostics:\n%s", &out)
			}
		})
	}
}

// Errors of one kind must not hide those of another: all fixtures of broken stages
// together report the same errors as each one alone.
func TestErrorsDoNotHideOneAnother(t *testing.T) {
	path := "testdata/errors/many.hcl"
	_, diags, _ := Load(Options{File: path, Version: "1.2.3"})
	summaries := map[string]bool{}
	for _, d := range diags {
		summaries[d.Summary] = true
	}
	if len(summaries) < 15 {
		t.Errorf("%d kinds of problems reported, want at least 15: %v", len(summaries), summaries)
	}
	last := -1
	for _, d := range diags {
		if d.Subject.Start.Byte < last {
			t.Errorf("out of order: %s", d)
		}
		last = d.Subject.Start.Byte
	}
}
