package contracts

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadThresholds(t *testing.T) {
	const thresholds = `{"retrieval": [{"metric": "mrr", "tolerance": 0.03}],
		"detectors": [{"detector": "d", "fpr_ceiling": 0.02, "hard_negative_fpr_ceiling": 0.04, "recall_floor": 0.9}], "max_errored": 0}`
	for name, tt := range map[string]struct {
		text, version, problem string
	}{
		"nothing else":      {`{"thresholds": ` + thresholds + `}`, "", ""},
		"broken figures":    {`{"version": "v2", "metrics": {"mrr": "high", "MRR": []}, "per_query": 7, "more": null, "thresholds": ` + thresholds + `}`, "v2", ""},
		"a figure twice":    {`{"version": "v2", "proxy": "a", "proxy": "b", "thresholds": ` + thresholds + `}`, "v2", ""},
		"a broken version":  {`{"version": 2, "thresholds": ` + thresholds + `}`, "", ""},
		"none":              {`{"version": "v2"}`, "", `the field "thresholds" is missing`},
		"no object":         {`[]`, "", `the field "thresholds" is missing`},
		"null":              {`{"thresholds": null}`, "", "thresholds is null"},
		"no JSON":           {`{"thresholds": ` + thresholds, "", "ends in the middle"},
		"empty":             {``, "", "ends"},
		"an unknown field":  {`{"thresholds": ` + strings.Replace(thresholds, "recall_floor", "recal_floor", 1) + `}`, "", `unknown field "recal_floor"`},
		"a threshold twice": {`{"thresholds": ` + strings.Replace(thresholds, `"recall_floor"`, `"recall_floor": 0.5, "recall_floor"`, 1) + `}`, "", "occurs twice"},
		"out of range":      {`{"thresholds": ` + strings.Replace(thresholds, "0.04", "4", 1) + `}`, "", "must be at most 1"},
	} {
		path := filepath.Join(t.TempDir(), "b.json")
		if err := os.WriteFile(path, []byte(tt.text), 0o644); err != nil {
			t.Fatal(err)
		}
		kept, err := ReadThresholds(path)
		if tt.problem != "" {
			var fe *FileError
			if !errors.As(err, &fe) || !strings.Contains(err.Error(), tt.problem) || fe.Problems[0].Remedy == "" {
				t.Errorf("%s: got %v, want %q", name, err, tt.problem)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := kept.Thresholds.Detectors; len(d) != 1 || d[0].HardNegativeFPRCeiling != .04 || kept.Thresholds.Retrieval[0].Metric != "mrr" || kept.Version != tt.version || kept.Metrics != nil {
			t.Errorf("%s: got %+v", name, kept)
		}
	}
	if _, err := ReadThresholds(filepath.Join(t.TempDir(), "nothing.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// FuzzReadThresholds checks that accepted thresholds belong to a valid
// baseline: a file with these thresholds and no other fault is read.
func FuzzReadThresholds(f *testing.F) {
	f.Add([]byte(`{"thresholds": {"retrieval": [], "detectors": [], "max_errored": 0.5}}`))
	f.Add([]byte(`{"version": "v1", "thresholds": {}}`))
	f.Add([]byte(`{"thresholds": null}`))
	path := filepath.Join(f.TempDir(), "b.json")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		kept, err := ReadThresholds(path)
		if err != nil {
			return
		}
		if m := kept.Thresholds.MaxErrored; m < 0 || m > 1 {
			t.Errorf("max_errored %v", m)
		}
		if kept.Metrics != nil || kept.PerQuery != nil || kept.Proxy != "" {
			t.Errorf("more than thresholds was read: %+v", kept)
		}
	})
}
