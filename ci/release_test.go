package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const someDigest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

func TestArchiveName(t *testing.T) {
	for _, c := range []struct{ version, platform, want, err string }{
		{"0.1.0", "linux/amd64", "touchstone_0.1.0_linux_amd64.tar.gz", ""},
		{"1.2.3-rc.1", "linux/arm64/v8", "touchstone_1.2.3-rc.1_linux_arm64.tar.gz", ""},
		{"v0.1.0", "linux/amd64", "", "correct --version"},
		{"../0.1.0", "linux/amd64", "", "correct --version"},
		{"0.1.0", "linux/riscv64", "", "platform linux/riscv64"},
		{"0.1.0", "", "", "platform"},
	} {
		got, err := archiveName(c.version, c.platform)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s for %s: %q, %v, want %q and %q", c.version, c.platform, got, err, c.want, c.err)
		}
	}
	// The names come from the configuration of the releases.
	for file, text := range map[string]string{
		"../.goreleaser.yaml": `name_template: "{{ .ProjectName }}_{{ .Version }}_{{ .Os }}_{{ .Arch }}"`,
		"../action.yml":       "default: https://github.com/touchstone-eval/touchstone/releases/download\n",
	} {
		if b, err := os.ReadFile(file); err != nil || !strings.Contains(string(b), text) {
			t.Errorf("%s does not contain %s: %v", file, text, err)
		}
	}
}

func TestPinnedRelease(t *testing.T) {
	if release.version == "" {
		if len(release.digests) > 0 {
			t.Error("digests without a version")
		}
		return
	}
	for _, platform := range []string{"linux/amd64", "linux/arm64"} {
		name, err := archiveName(release.version, platform)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseDigest(release.digests[name]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDigestOf(t *testing.T) {
	list := "00  other.tar.gz\n" + strings.ToUpper(someDigest) + "  a.tar.gz\n" + someDigest + " *b.tar.gz\nshort  c.tar.gz\n"
	for name, want := range map[string]string{
		"a.tar.gz": "", "b.tar.gz": "", "c.tar.gz": `"short" is not a SHA-256 digest`, "d.tar.gz": "there is no digest of d.tar.gz",
	} {
		got, err := digestOf(list, name)
		if want == "" && (got != someDigest || err != nil) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := parseDigest("sha256:" + someDigest); got != someDigest || err != nil {
		t.Errorf("a digest with its algorithm: %q, %v", got, err)
	}
}

// archived returns a compressed archive of files.
func archived(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(files[name]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, files[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestUnpack(t *testing.T) {
	whole := archived(t, map[string]string{"LICENSE": "text", "licenses/touchstone": "text", "touchstone": "a program"})
	for _, c := range []struct {
		name    string
		archive []byte
		err     string
	}{
		{"whole", whole, ""},
		{"no archive", []byte("<html>"), "not a compressed archive"},
		{"cut off", whole[:len(whole)/2], "unexpected EOF"},
		{"no program", archived(t, map[string]string{"licenses/touchstone": "text"}), "does not contain the file touchstone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, to := filepath.Join(t.TempDir(), "archive"), filepath.Join(t.TempDir(), "touchstone")
			if err := os.WriteFile(from, c.archive, 0o600); err != nil {
				t.Fatal(err)
			}
			err := unpack(from, to)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("%v, want %q", err, c.err)
				}
				return
			}
			b, readErr := os.ReadFile(to)
			st, statErr := os.Stat(to)
			if err != nil || readErr != nil || statErr != nil || string(b) != "a program" || st.Mode().Perm()&0o100 == 0 {
				t.Errorf("%q, %v, %v, %v", b, err, readErr, statErr)
			}
		})
	}
}

// TestSourcePaths compares the paths of the build with the packages that the program is
// compiled from.
func TestSourcePaths(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.Dir}}{{end}}", "./cmd/touchstone")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for dir := range strings.Lines(string(out)) {
		rel, err := filepath.Rel(root, strings.TrimSpace(dir))
		if err != nil || rel == "." || strings.HasPrefix(rel, "..") {
			continue
		}
		found++
		rel = filepath.ToSlash(rel)
		if !slices.ContainsFunc(sourcePaths, func(path string) bool { return rel == path || strings.HasPrefix(rel, path+"/") }) {
			t.Errorf("the program is compiled from %s, which is not in sourcePaths", rel)
		}
	}
	if found == 0 {
		t.Error("no packages of this project")
	}
	for _, path := range append(sourcePaths, dataPaths...) {
		if _, err := os.Stat(filepath.Join(root, path)); err != nil {
			t.Error(err)
		}
	}
}

// TestStandIns compares the empty files of a build without data with what source.go embeds.
func TestStandIns(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("..", "source.go"))
	if err != nil {
		t.Fatal(err)
	}
	embedded := 0
	for line := range strings.Lines(string(source)) {
		patterns, is := strings.CutPrefix(strings.TrimSpace(line), "//go:embed ")
		if !is {
			continue
		}
		for _, pattern := range strings.Fields(patterns) {
			first, _, _ := strings.Cut(pattern, "/")
			if !slices.Contains(dataPaths, first) {
				continue
			}
			embedded++
			if !slices.ContainsFunc(standIns, func(file string) bool { is, _ := path.Match(pattern, file); return is }) {
				t.Errorf("source.go embeds %s, and no file of standIns matches it", pattern)
			}
		}
	}
	if embedded < len(dataPaths) {
		t.Errorf("source.go embeds %d patterns of data, want at least %d", embedded, len(dataPaths))
	}
}

func FuzzDigestOf(f *testing.F) {
	f.Add(someDigest+"  a\n", "a")
	f.Fuzz(func(t *testing.T, list, name string) {
		if got, err := digestOf(list, name); err == nil && len(got) != 64 {
			t.Errorf("%q", got)
		}
	})
}

func FuzzProgramIn(f *testing.F) {
	f.Add(archived(f, map[string]string{"touchstone": "a program"}))
	f.Add([]byte("<html>"))
	f.Fuzz(func(t *testing.T, archive []byte) {
		if r, err := programIn(bytes.NewReader(archive)); (r == nil) == (err == nil) {
			t.Errorf("%v, %v", r, err)
		}
	})
}
