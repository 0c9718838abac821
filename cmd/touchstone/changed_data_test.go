package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

// TestBaselineTarget checks which file a baseline on a golden set goes to.
func TestBaselineTarget(t *testing.T) {
	baseline := func(golden string) string {
		return `{"data": {"corpus_version": "v1", "golden_version": "` + golden + `", "golden_sha256": "` + golden + `", "security_version": "v1"}}`
	}
	for _, tt := range []struct {
		name, file, golden, want string
		files                    map[string]string
	}{
		{"no file", "baseline_v1.json", "v2", "baseline_v1.json", nil},
		{"the same data", "baseline_v1.json", "v1", "baseline_v1.json", map[string]string{"baseline_v1.json": baseline("v1")}},
		{"other data", "baseline_v1.json", "v2", "baseline_v2.json", map[string]string{"baseline_v1.json": baseline("v1")}},
		{"another proxy", "baseline_v1_own.json", "v2", "baseline_v2_own.json", map[string]string{"baseline_v1_own.json": baseline("v1"), "baseline_v2.json": baseline("v2")}},
		{"after the newest", "baseline_v1.json", "v9", "baseline_v4.json", map[string]string{"baseline_v1.json": baseline("v1"), "baseline_v3.json": baseline("v3")}},
		{"a sibling of the data", "baseline_v1.json", "v3", "baseline_v3.json", map[string]string{"baseline_v1.json": baseline("v1"), "baseline_v3.json": baseline("v3"), "baseline_v4.json": baseline("v4")}},
		{"no number", "mine.json", "v2", "mine_v2.json", map[string]string{"mine.json": baseline("v1")}},
		{"not readable", "baseline_v1.json", "v2", "baseline_v1.json", map[string]string{"baseline_v1.json": `{"data": 1`}},
		{"both without a version", "baseline_v1.json", "digest", "baseline_v1.json", map[string]string{"baseline_v1.json": baseline("another")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, content := range tt.files {
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			agg := contracts.Aggregate{Data: contracts.DataIdentity{CorpusVersion: "v1", GoldenVersion: tt.golden, GoldenSHA256: "-", SecurityVersion: "v1"}}
			if !strings.HasPrefix(tt.golden, "v") {
				agg.Data.GoldenSHA256 = tt.golden
			}
			got, err := baselineTarget(filepath.Join(dir, tt.file), agg)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Base(got) != tt.want {
				t.Errorf("got %s, want %s", filepath.Base(got), tt.want)
			}
		})
	}
}

func TestVersionOfABaselineByItsName(t *testing.T) {
	for file, want := range map[string]string{
		"datasets/baseline_v2.json": "baseline_v2", "datasets/baseline_v12_mcp.json": "baseline_v12", "mine_v3.json": "mine_v3", "mine.json": "",
	} {
		if got := baselineVersion(file); got != want {
			t.Errorf("%s has version %q, want %q", file, got, want)
		}
	}
}
