package refreshcorpus

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestParseUpstreams(t *testing.T) {
	const corpus = "corpus { source = \"s\" }\n"
	const server = "upstream \"a\" {\n  version = \"1\"\n  command = [\"a\"]\n}\n"
	for name, x := range map[string]struct{ text, want string }{
		"no source":        {server, "u.hcl:1,1: the corpus has no source"},
		"blank source":     {"corpus { source = \" \" }\n" + server, "the corpus has no source"},
		"no upstream":      {corpus, "there is no upstream"},
		"no version":       {corpus + `upstream "a" { command = ["a"] }`, `u.hcl:2,16: Missing required argument`},
		"blank version":    {corpus + "upstream \"a\" {\n  version = \"\"\n  command = [\"a\"]\n}\n", "u.hcl:2,1: the version is not pinned"},
		"both":             {corpus + "upstream \"a\" {\n  version = \"1\"\n  command = [\"a\"]\n  url = \"http://x/\"\n}\n", "either a command or a url"},
		"neither":          {corpus + "upstream \"a\" {\n  version = \"1\"\n}\n", "either a command or a url"},
		"twice":            {corpus + server + server, `upstream "a" is declared twice`},
		"colon":            {corpus + strings.Replace(server, `"a"`, `"a:b"`, 1), "cannot be the name of a server"},
		"a secret url":     {corpus + "upstream \"a\" {\n  version = \"1\"\n  url = \"https://me:secret@x/\"\n}\n", "not an http or https address"},
		"headers":          {corpus + "upstream \"a\" {\n  version = \"1\"\n  command = [\"a\"]\n  headers = { A = \"B\" }\n}\n", "headers require a url"},
		"unknown install":  {corpus + "upstream \"a\" {\n  version = \"1\"\n  command = [\"a\"]\n  install = \"n\"\n  package = \"p\"\n}\n", `there is no install "n"`},
		"no package":       {corpus + "install \"n\" {\n  files = [\"l\"]\n  lock = \"l\"\n  command = [\"c\"]\n}\nupstream \"a\" {\n  version = \"1\"\n  command = [\"a\"]\n  install = \"n\"\n}\n", "install and package require each other"},
		"no lock":          {corpus + server + "install \"n\" {\n  files = [\"f\"]\n  lock = \"l\"\n  command = [\"c\"]\n}\n", `the lock "l" is not one of the files`},
		"out of the place": {corpus + server + "install \"n\" {\n  files = [\"../l\"]\n  lock = \"../l\"\n  command = [\"c\"]\n}\n", "outside the directory"},
		"a duration":       {corpus + "upstream \"a\" {\n  version = \"1\"\n  command = [\"a\"]\n  timeout = \"soon\"\n}\n", `"soon" is not a duration`},
		"an expression":    {corpus + "upstream \"a\" {\n  version = 1 + 1\n  command = [\"a\"]\n}\n", "u.hcl:3,15: this is not a plain value"},
		"an exponent":      {corpus + strings.Replace(server, `"1"`, `1e99999999`, 1), "write the number without an exponent"},
		"a template":       {corpus + strings.Replace(server, `"1"`, `"${x}"`, 1), "this is not a plain value"},
		"not HCL":          {corpus + "upstream {", "u.hcl:2"},
		"another argument": {corpus + strings.Replace(server, "command", "comand", 1), "comand"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseUpstreams("u.hcl", []byte(x.text))
			if err == nil || !strings.Contains(err.Error(), x.want) {
				t.Errorf("error %v, want %q", err, x.want)
			}
		})
	}
	u, err := parseUpstreams("d/u.hcl", []byte(corpus+strings.Replace(server, `"a"`, `"z"`, 1)+server+
		"upstream \"m\" {\n  version = \"1\"\n  url = \"https://x/mcp\"\n  headers = { Authorization = \"TOKEN\" }\n  timeout = \"5s\"\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if u.dir != "d" || len(u.Upstreams) != 3 || u.Upstreams[0].Name != "a" || u.Upstreams[1].timeout != 5*time.Second || u.Upstreams[2].timeout != time.Minute {
		t.Errorf("read %+v", u)
	}
}

func TestPinned(t *testing.T) {
	const lock = `{"lockfileVersion":3,"packages":{"node_modules/@a/b":{"version":"1.2.3","integrity":"sha512-x"},"node_modules/c":{"version":"1"}}}`
	for name, x := range map[string]struct{ file, text, pkg, version, want string }{
		"holds":           {"package-lock.json", lock, "@a/b", "1.2.3", ""},
		"another version": {"package-lock.json", lock, "@a/b", "1.2.4", "package-lock.json has version 1.2.3 of @a/b"},
		"no such package": {"package-lock.json", lock, "b", "1", `has no package "b"`},
		"no integrity":    {"package-lock.json", lock, "c", "1", "no integrity"},
		"old":             {"package-lock.json", `{"lockfileVersion":1}`, "c", "1", "lockfileVersion 1"},
		"broken":          {"package-lock.json", `{`, "c", "1", "create it again"},
		"of another kind": {"uv.lock", "whatever", "c", "1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := parseLock(x.file, []byte(x.text))
			if err == nil {
				_, err = l.pinned(&upstreamBlock{Name: "u", Package: x.pkg, Version: x.version})
			}
			if x.want == "" && err != nil || x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)) {
				t.Errorf("error %v, want %q", err, x.want)
			}
		})
	}
}

func FuzzParseUpstreams(f *testing.F) {
	text, err := os.ReadFile("../../datasets/upstreams.hcl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("corpus {\n source = \"s\"\n}\nupstream \"a\" {\n  version = \"1\"\n  url = \"https://x/\"\n}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		u, err := parseUpstreams("u.hcl", text)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without a text")
			}
			return
		}
		for _, up := range u.Upstreams {
			if up.Name == "" || strings.Contains(up.Name, ":") || (len(up.Command) == 0) == (up.URL == "") || up.timeout <= 0 || up.Version == "" {
				t.Errorf("accepted %+v", up)
			}
		}
	})
}

func FuzzParseLock(f *testing.F) {
	f.Add([]byte(`{"lockfileVersion":3,"packages":{"node_modules/a":{"version":"1","integrity":"x"}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := parseLock("package-lock.json", text)
		if err != nil {
			return
		}
		up := &upstreamBlock{Name: "u", Package: "a", Version: "1"}
		if p, err := l.pinned(up); err == nil && (p.Version != "1" || p.Integrity == "") {
			t.Errorf("pinned by %+v", p)
		}
	})
}
