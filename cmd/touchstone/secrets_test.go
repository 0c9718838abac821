package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

// canary is a secret that no text may show.
type canary struct {
	name, value string
	kind        string // env, file or var
}

// canaries returns 50 secrets: environment variables, files and sensitive variables, with
// characters that each encoding writes in another way.
func canaries() []canary {
	var list []canary
	for i := range 50 {
		c := canary{name: fmt.Sprintf("S%02d", i), kind: []string{"env", "file", "var", "env", "file"}[i%5]}
		core := fmt.Sprintf("cnry%02dq", i)
		switch i % 4 {
		case 0:
			c.value = core + "Plain9"
		case 1:
			c.value = core + `/+ "<&>'?=%` + "z"
		case 2:
			c.value = core + "-päß日本😀"
		case 3:
			c.value = core + "one\n" + core + "two"
		}
		if c.kind == "var" {
			c.value = strings.ReplaceAll(c.value, "\n", "-")
		}
		list = append(list, c)
	}
	return list
}

// encodings are the ways in which a program may print a secret.
var encodings = []func(string) string{
	func(v string) string { return v },
	func(v string) string { return base64.StdEncoding.EncodeToString([]byte(v)) },
	func(v string) string { return base64.RawURLEncoding.EncodeToString([]byte(v)) },
	func(v string) string { return base64.StdEncoding.EncodeToString([]byte("user:" + v + "\n")) },
	func(v string) string { return hex.EncodeToString([]byte(v)) },
	url.QueryEscape,
	url.PathEscape,
	func(v string) string { b, _ := json.Marshal(v); return strings.Trim(string(b), `"`) },
}

// traces are the texts that give a secret away: what is left of it when the first and last
// characters of each encoding, which may depend on others, are cut off.
func (c canary) traces() []string {
	core := c.value[:7]
	traces := []string{core, hex.EncodeToString([]byte(core))}
	for shift := range 3 {
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + core))
		traces = append(traces, text[2+shift:8+shift])
	}
	return traces
}

// secretWorld is a pipeline whose stages give their secrets away in every way, and what was
// printed about it.
type secretWorld struct {
	t       *testing.T
	bin     string
	dir     string
	store   string
	env     []string
	printed map[string][]byte
}

func newSecretWorld(t *testing.T, list []canary) *secretWorld {
	w := &secretWorld{t: t, bin: program.Path(t, program.Touchstone), dir: t.TempDir(), store: t.TempDir(), printed: map[string][]byte{}}
	elsewhere := t.TempDir()
	var encoded, names, secrets, variables, used strings.Builder
	w.env = append(os.Environ(), "TOUCHSTONE_CACHE="+w.store, "ENCODED="+filepath.Join(elsewhere, "encoded"), "NAMES="+filepath.Join(elsewhere, "names"))
	for _, c := range list {
		for _, encode := range encodings {
			encoded.WriteString(encode(c.value) + "\n")
		}
		name, _, _ := strings.Cut(c.value, "\n")
		if strings.Contains(name, "/") {
			name = url.PathEscape(name)
		}
		names.WriteString(name + "\n")
		switch c.kind {
		case "env":
			w.env = append(w.env, "FROM_"+c.name+"="+c.value)
			fmt.Fprintf(&secrets, "    %s = \"env:FROM_%s\"\n", c.name, c.name)
		case "file":
			w.write(filepath.Join(elsewhere, c.name), c.value+"\n")
			fmt.Fprintf(&secrets, "    %s = \"file:%s\"\n", c.name, filepath.Join(elsewhere, c.name))
		case "var":
			w.env = append(w.env, "TOUCHSTONE_VAR_"+c.name+"="+c.value)
			fmt.Fprintf(&variables, "variable %q {\n  type = string\n  sensitive = true\n}\n", c.name)
			fmt.Fprintf(&used, "    %s = var.%s\n", c.name, c.name)
		}
	}
	w.write(filepath.Join(elsewhere, "encoded"), encoded.String())
	w.write(filepath.Join(elsewhere, "names"), names.String())
	stage := func(name, script, outputs string) string {
		return fmt.Sprintf(`stage %q {
  outputs = { %s }
  command = ["sh", "-c", %q]
  passthrough = ["ENCODED", "NAMES"]
  env = {
%s  }
  secrets = {
%s  }
}
`, name, outputs, script, &used, &secrets)
	}
	const makeNames = `mkdir -p out/d; while read -r n; do : > "out/d/$n"; done < "$NAMES"`
	w.write(filepath.Join(w.dir, "pipeline.hcl"), variables.String()+
		stage("prints", `cat "$ENCODED"; cat "$ENCODED" >&2; echo > out/o`, `o = "out/o"`)+
		stage("fails", `cat "$ENCODED"; cat "$ENCODED" >&2; cat "$ENCODED" > out/o; exit 1`, `o = "out/o"`)+
		stage("names", makeNames, `d = "out/d/"`)+
		stage("fails-with-names", makeNames+`; exit 1`, `d = "out/d/"`)+
		stage("forgets", makeNames, `o = "out/o"`)+
		stage("links", `mkdir out/d; read -r n < "$NAMES"; ln -s "$n" out/d/link`, `d = "out/d/"`)+
		`stage "denied" {
  outputs = { o = "out/o" }
  secrets = { S00 = "env:FROM_S00" }
  command = ["sh", "-c", "echo \"cat: /etc/$S00: Permission denied\" >&2; exit 1"]
}
stage "loops" {
  matrix {
    n = [1, 2]
  }
  outputs = { o = "out/o" }
  command = ["sh", "-c", "echo \"$0\" > out/o; exit 1", var.S02]
}
`)
	w.write(filepath.Join(w.dir, "program/pipeline.hcl"), variables.String()+`stage "program" {
  outputs = { o = "out/o" }
  command = [var.S02, "x"]
}
stage "path" {
  outputs = { o = "out/o" }
  env     = { PATH = "/${var.S07}" }
  command = ["true"]
}
`)
	// A run without a verdict publishes reports that quote the failed stage.
	w.write(filepath.Join(w.dir, "reports/pipeline.hcl"), variables.String()+`pipeline {
  name    = "reports"
  publish = { reports = stage.render.reports }
}
`+stage("quoted", `tail -n 200 "$ENCODED" >&2; exit 1`, `o = "out/o"`)+`stage "render" {
  inputs  = { o = stage.quoted.o }
  outputs = { reports = "out/reports/" }
  command = ["touchstone", "stage", "render", "--gate", input.o, "--aggregate", input.o, "--out", output.reports]
}
`)
	w.write(filepath.Join(w.dir, "invalid/pipeline.hcl"), variables.String()+`stage "invalid" {
  outputs = { o = "out/o" }
  command = [var.S02[0], tonumber(var.S07), "${var.S12}" ? 1 : 2]
}
`)
	return w
}

func (w *secretWorld) write(file, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// touchstone runs the program, and keeps what it prints.
func (w *secretWorld) touchstone(args ...string) {
	cmd := exec.Command(w.bin, args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // most fail
	if out.Len() == 0 {
		w.t.Errorf("%q printed nothing", args)
	}
	w.printed[strings.Join(args, " ")] = out.Bytes()
}

// keep reads every file below a directory, compressed or not.
func (w *secretWorld) keep(dir string) {
	d, err := zstd.NewReader(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	defer d.Close()
	err = filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		w.printed["the name "+file] = []byte(file)
		if !e.Type().IsRegular() {
			return nil
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		w.printed[file] = b
		if i := bytes.Index(b, []byte{0x28, 0xb5, 0x2f, 0xfd}); i >= 0 {
			if plain, err := d.DecodeAll(b[i:], nil); err == nil {
				w.printed[file+", plain"] = plain
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func TestNoChannelShowsASecret(t *testing.T) {
	list := canaries()
	w := newSecretWorld(t, list)
	for _, progress := range []string{"plain", "json"} {
		w.touchstone("run", "--force", "--keep-going", "--progress", progress, "--events", "events.jsonl")
	}
	w.touchstone("run", "--keep-going", "--json", "--events", "more.jsonl")
	w.touchstone("gate")
	w.touchstone("plan")
	w.touchstone("plan", "--json")
	for _, stage := range []string{"prints", "fails", "names", "fails-with-names", "forgets", "links", "denied", "loops"} {
		w.touchstone("logs", stage)
		w.touchstone("logs", "--json", stage)
		w.touchstone("explain", stage)
		w.touchstone("explain", "--json", stage)
	}
	for _, file := range []string{"program/pipeline.hcl", "invalid/pipeline.hcl"} {
		w.touchstone("run", "-f", file, "--keep-going")
		w.touchstone("run", "-f", file, "--json")
		w.touchstone("plan", "-f", file)
		w.touchstone("validate", "-f", file)
	}
	w.touchstone("run", "-f", "reports/pipeline.hcl")
	w.keep(filepath.Join(w.dir, "reports/reports"))
	w.touchstone("graph")
	w.touchstone("cache", "stats")
	w.keep(w.store)
	for _, file := range []string{"events.jsonl", "more.jsonl"} {
		b, err := os.ReadFile(filepath.Join(w.dir, file))
		if err != nil {
			t.Fatal(err)
		}
		w.printed[file] = b
	}
	if got := w.printed["logs fails"]; bytes.Count(got, []byte("[secret]")) < len(list)*len(encodings) {
		t.Errorf("the log of a stage lost more than its secrets:\n%.2000s", got)
	}
	if page := w.printed[filepath.Join(w.dir, "reports/reports/report.html")]; !bytes.Contains(page, []byte("[secret]")) {
		t.Errorf("report.html does not quote the stage: %.300s", page)
	}
	leaks := 0
	for channel, text := range w.printed {
		for _, c := range list {
			for _, trace := range c.traces() {
				if i := bytes.Index(text, []byte(trace)); i >= 0 {
					if leaks++; leaks <= 20 {
						t.Errorf("%s shows %s (%q) as %q: %q", channel, c.name, c.value, trace, text[max(0, i-100):min(len(text), i+100)])
					}
				}
			}
		}
	}
	t.Logf("%d canaries, %d channels, %d leaks", len(list), len(w.printed), leaks)
}
