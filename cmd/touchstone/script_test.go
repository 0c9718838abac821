package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// edit FILE OLD NEW replaces every OLD in a file of the script. There must be at least one.
func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	path := ts.MkAbs(args[0])
	b, err := os.ReadFile(path)
	ts.Check(err)
	if !strings.Contains(string(b), args[1]) {
		ts.Fatalf("%s does not contain %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(path, []byte(strings.ReplaceAll(string(b), args[1], args[2])), 0o644))
}

// exits CODE PROGRAM ARG... runs a program and requires exactly that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	code := 0
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if args[0] != strconv.Itoa(code) {
		ts.Fatalf("%s exited with %d, want %s", args[1], code, args[0])
	}
}

// sample N FILE TO copies a dataset with every Nth of its queries or entries, the first included, as a draft. What
// holds for any data is shown with few.
func sample(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: sample N FILE TO")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	var dataset map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &dataset))
	list := "queries"
	if dataset[list] == nil {
		list = "entries"
	}
	all, _ := dataset[list].([]any)
	if len(all) == 0 || n < 1 {
		ts.Fatalf("%s has neither queries nor entries, or %d is no step", args[1], n)
	}
	var some []any
	for i := 0; i < len(all); i += n {
		some = append(some, all[i])
	}
	dataset[list], dataset["version"] = some, "draft"
	b, err := json.MarshalIndent(dataset, "", " ")
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), b, 0o644))
}

// damage DIR changes the last byte of every file in a directory and its subdirectories.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage DIR")
	}
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		b[len(b)-1] ^= 1
		return os.WriteFile(path, b, 0o600)
	}))
}

// jsonvar VAR FILE KEY... sets an environment variable to a value in a JSON file, which each KEY leads
// one member or element further into. FILE may be stdout.
func jsonvar(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: jsonvar VAR FILE KEY...")
	}
	var at any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &at))
	for _, key := range args[2:] {
		switch v := at.(type) {
		case map[string]any:
			at = v[key]
		case []any:
			i, err := strconv.Atoi(key)
			ts.Check(err)
			if i >= len(v) {
				ts.Fatalf("%s has %d elements, and %s is asked for", args[1], len(v), key)
			}
			at = v[i]
		}
	}
	if at == nil {
		ts.Fatalf("%s has nothing at %q", args[1], args[2:])
	}
	ts.Setenv(args[0], fmt.Sprint(at))
}
