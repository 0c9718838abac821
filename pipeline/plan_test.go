package pipeline

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden plans anew")

// goldenPlan formats a plan with one field per line, without empty fields and without
// the paths of this machine.
func goldenPlan(t *testing.T, plan *Plan) string {
	t.Helper()
	data, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fields := func(v reflect.Value, skip string) {
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if f := v.Field(i); !f.IsZero() && name != skip && (f.Kind() != reflect.Slice || f.Len() > 0) {
				out, err := json.Marshal(f.Interface())
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&b, "  %s: %s\n", name, out)
			}
		}
	}
	b.WriteString("plan\n")
	fields(reflect.ValueOf(*plan), "Instances")
	for i, in := range plan.Instances {
		fmt.Fprintf(&b, "%d %s\n", i, in)
		v := *in
		v.Inputs = nil
		fields(reflect.ValueOf(v), "Matrix")
		for _, input := range in.Inputs {
			fmt.Fprintf(&b, "  input %s: %s tree=%v\n", input.Name, input.Path, input.Tree)
			for _, f := range input.Files {
				fmt.Fprintf(&b, "    %q: %s (%s)\n", f.Path, f.Source, f.Label)
			}
			for _, f := range input.From {
				fmt.Fprintf(&b, "    %q: %d.%s\n", f.Path, f.From.Instance, f.From.Output)
			}
		}
	}
	return strings.ReplaceAll(b.String(), filepath.ToSlash(data), "TESTDATA")
}

func mustLoad(t testing.TB, o Options) *Plan {
	t.Helper()
	plan, diags, files := Load(o)
	for _, d := range diags {
		if plan == nil {
			var out strings.Builder
			_ = WriteDiagnostics(&out, diags, files, false, 100)
			t.Fatalf("%s", &out)
		}
		t.Errorf("unexpected: %s", d)
	}
	return plan
}

func planFixtures(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/plans/*.hcl")
	more, _ := filepath.Glob("testdata/plans/*/pipeline.hcl")
	if err != nil || len(paths) == 0 || len(more) == 0 {
		t.Fatal("no fixtures", err)
	}
	return append(paths, more...)
}

func TestPlans(t *testing.T) {
	for _, path := range planFixtures(t) {
		t.Run(path, func(t *testing.T) {
			got := goldenPlan(t, mustLoad(t, Options{File: path, Version: "1.2.3"}))
			golden := strings.TrimSuffix(path, ".hcl") + ".plan"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the plan changed (run with -update if it should):\n%s", diff)
			}
		})
	}
}

// Every instance must come after those that it reads, and list them in Upstream.
func TestPlanOrder(t *testing.T) {
	for _, path := range planFixtures(t) {
		plan := mustLoad(t, Options{File: path})
		for i, in := range plan.Instances {
			upstream := map[int]bool{}
			for _, u := range in.Upstream {
				upstream[u] = true
				if u >= i {
					t.Errorf("%s: %s reads %s, which comes later", path, in, plan.Instances[u])
				}
			}
			for _, a := range in.After {
				if a >= i || upstream[a] {
					t.Errorf("%s: %s waits for %s, which comes later or is read", path, in, plan.Instances[a])
				}
			}
			for _, input := range in.Inputs {
				for _, from := range input.From {
					if !upstream[from.From.Instance] {
						t.Errorf("%s: %s reads instance %d, which is not in Upstream", path, in, from.From.Instance)
					}
				}
			}
		}
	}
}

func TestExamples(t *testing.T) {
	for name, instances := range map[string]int{"matrix": 13, "shell": 4} {
		plan := mustLoad(t, Options{File: "../examples/" + name + "/pipeline.hcl", Version: "0.1.0"})
		if len(plan.Instances) != instances {
			t.Errorf("%s: %d instances, want %d", name, len(plan.Instances), instances)
		}
	}
}
