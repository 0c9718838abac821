package versions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/data/validation"
)

// nextOf writes a dataset and returns its next version with the content of its file.
func nextOf(t *testing.T, dir, name, content string, original func(string) []byte) (NextVersion, string, error) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	next, err := Next(filepath.Join(dir, "lock.json"), file, original)
	if err != nil {
		return next, "", err
	}
	written, err := os.ReadFile(next.File)
	if err != nil {
		t.Fatal(err)
	}
	return next, string(written), nil
}

func TestNext(t *testing.T) {
	for _, tt := range []struct {
		name, content, file, version string
		beside                       map[string]string
	}{
		{"golden_v1.json", `{ "version" : "v1", "queries": [] }`, "golden_v2.json", "v2", nil},
		{"golden.json", `{"queries": [{"version": "v7"}], "version": "v9"}`, "golden_v10.json", "v10", nil},
		{"tools.json", `{"version": "2026-11", "tools": []}`, "tools_2026-12.json", "2026-12", nil},
		{"own.json", `{"version": "first", "tools": []}`, "own_first.2.json", "first.2", nil},
		// A version that another file of the kind has, and a file name that is taken.
		{"golden_v1.json", `{"version": "v1", "queries": []}`, "golden_v4.json", "v4", map[string]string{
			"other.json": `{"version": "v2", "queries": []}`, "golden_v3.json": `{}`, "corpus_v4.json": `{"version": "v4", "tools": []}`,
		}},
	} {
		dir := t.TempDir()
		for name, content := range tt.beside {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		next, written, err := nextOf(t, dir, tt.name, tt.content, nil)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if filepath.Base(next.File) != tt.file || next.Version != tt.version || next.Restored {
			t.Errorf("%s: %+v, want %s with %s", tt.name, next, tt.file, tt.version)
		}
		// Only the version differs, byte for byte.
		version, start, end, ok := validation.VersionOf([]byte(tt.content))
		if want := tt.content[:start] + `"` + tt.version + `"` + tt.content[end:]; !ok || written != want {
			t.Errorf("%s (%s): wrote %s, want %s", tt.name, version, written, want)
		}
	}
}

func TestNextOfAFrozenVersion(t *testing.T) {
	dir := t.TempDir()
	const frozen = `{"version": "v1", "tools": [{"tool_id": "s:a", "server": "s", "tool": "a", "description": "A.", "schema": {"type": "object"}}], "generated_from": {"source": "test"}}`
	edited := strings.Replace(frozen, `"A."`, `"B."`, 1)
	file, lock := filepath.Join(dir, "corpus_v1.json"), filepath.Join(dir, "lock.json")
	if err := os.WriteFile(file, []byte(frozen), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Freeze(lock, []string{file}); err != nil {
		t.Fatal(err)
	}
	none := func(string) []byte { return nil }
	if _, _, err := nextOf(t, dir, "corpus_v1.json", edited, none); err == nil || !strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("without the frozen content: %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*.json")); len(files) != 2 {
		t.Errorf("a refused version left %v", files)
	}
	next, written, err := nextOf(t, dir, "corpus_v1.json", edited, func(digest string) []byte {
		if len(digest) != 64 {
			t.Errorf("asked for %q", digest)
		}
		return []byte(frozen)
	})
	if err != nil {
		t.Fatal(err)
	}
	if !next.Restored || written != strings.Replace(edited, `"v1"`, `"v2"`, 1) {
		t.Errorf("%+v: %s", next, written)
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != frozen {
		t.Errorf("%s was not restored: %s, %v", file, now, err)
	}
}

func TestNextRefuses(t *testing.T) {
	for content, want := range map[string]string{
		`{"frozen": []}`:                "is not a dataset",
		`{"queries": []}`:               "has no version that another could follow",
		`{"queries": [], "version": 1}`: "has no version",
		`{"queries": [`:                 "is not a dataset",
	} {
		if _, _, err := nextOf(t, t.TempDir(), "golden_v1.json", content, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", content, err, want)
		}
	}
}
