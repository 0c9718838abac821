package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
)

func TestSecretsAreInNoFileOfTheStore(t *testing.T) {
	const value = "s3cr3t-value-that-must-not-be-kept"
	w := newWorld(t)
	w.env["API"] = value
	in := sh("s", "test -n \"$TOKEN\" && echo got it > out/result; echo \"token=$TOKEN\"; echo \"$TOKEN\" >&2")
	in.Secrets = []pipeline.Secret{{Name: "TOKEN", From: "env:API"}}
	outcomes, _, err := w.run(w.plan(in), engine.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.env["API"] = value + "2"
	if sum := w.mustRun(w.plan(in)); sum.Hits != 1 {
		t.Errorf("another secret value is another key: %+v", sum)
	}
	for _, c := range mustLookup(t, w, outcomes[0].Key).Components {
		if strings.Contains(c.Value, value) {
			t.Errorf("component %s holds the secret", c.Name)
		}
	}
	err = filepath.WalkDir(filepath.Dir(w.root), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), value) {
			t.Errorf("%s holds the secret", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(w.env, "API")
	in.Command[2] += " "
	if _, _, err := w.run(w.plan(in), engine.RunOptions{}); err == nil || !strings.Contains(err.Error(), "API is not set") {
		t.Errorf("missing secret: %v", err)
	}
}

// hinting is an executor whose stages fail, with a hint.
type hinting struct{ hint string }

func (hinting) Name() string { return "hinting" }

func (h hinting) Run(context.Context, *engine.Job) (*engine.Result, error) {
	return &engine.Result{ExitCode: 1, Hint: h.hint}, nil
}

// A hint quotes the output of a stage before secrets were removed from the log.
func TestHintsHoldNoSecrets(t *testing.T) {
	const value = "/home/user/.very-secret-place"
	w := newWorld(t)
	w.env["KEY"] = value
	w.engine.Executor = hinting{"it was refused " + value}
	in := sh("s", "false")
	in.Secrets = []pipeline.Secret{{Name: "KEY", From: "env:KEY"}}
	_, _, err := w.run(w.plan(in), engine.RunOptions{})
	if err == nil || !strings.Contains(err.Error(), "it was refused [secret]") {
		t.Errorf("error %v, want one with a hint that does not hold the secret", err)
	}
}
