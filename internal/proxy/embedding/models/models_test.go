package models

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type entry struct {
	name    string
	content string
	kind    byte
}

// archive packs entries as npm packs a package.
func archive(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Mode: 0o644}
		if e.kind == tar.TypeReg {
			h.Size = int64(len(e.content))
		} else {
			h.Linkname = e.content
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if e.kind == tar.TypeReg {
			if _, err := io.WriteString(w, e.content); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var twoFiles = []entry{
	{"package/dist/a", "first", tar.TypeReg}, {"package/README", "not wanted", tar.TypeReg}, {"package/b", "second", tar.TypeReg},
}

// pinned is a model of two files in the given archive.
func pinned(archive []byte) Model {
	sum := sha512.Sum512(archive)
	file := func(name, path, content string) File {
		return File{name, path, int64(len(content)), fmt.Sprintf("%x", sha256.Sum256([]byte(content)))}
	}
	return Model{
		Name: "two", Package: "@scope/two", Version: "1.2.3", ArchiveSize: int64(len(archive)),
		Integrity: "sha512-" + base64.StdEncoding.EncodeToString(sum[:]),
		Files:     []File{file("a", "package/dist/a", "first"), file("b", "package/b", "second")},
	}
}

// left lists everything below dir.
func left(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			name, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}

func TestAddVerifyRemove(t *testing.T) {
	data := archive(t, twoFiles...)
	m, s := pinned(data), Store{filepath.Join(t.TempDir(), "models")}
	if err := s.Verify(m); !errors.Is(err, ErrAbsent) {
		t.Fatalf("Verify before Add: %v", err)
	}
	for range 2 { // the second time it exists already
		if err := s.Add(m, bytes.NewReader(data)); err != nil {
			t.Fatal(err)
		}
		if got := left(t, s.Dir); got != "two-1.2.3/a two-1.2.3/b" {
			t.Fatalf("Add left %q", got)
		}
		if err := s.Verify(m); err != nil {
			t.Fatal(err)
		}
	}
	damaged := filepath.Join(s.Path(m), "b")
	for _, content := range []string{"Second", "second and more", ""} {
		if err := os.WriteFile(damaged, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.Verify(m); !errors.Is(err, ErrDigest) || !strings.Contains(err.Error(), damaged) {
			t.Errorf("Verify of a file with %q: %v", content, err)
		}
	}
	if err := s.Add(m, bytes.NewReader(data)); err != nil { // repairs it
		t.Fatal(err)
	}
	if err := s.Verify(m); err != nil {
		t.Error(err)
	}
	if err := os.Remove(damaged); err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(m); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Verify without a file: %v", err)
	}
	if err := s.Remove(m); err != nil {
		t.Fatal(err)
	}
	if got := left(t, s.Dir); got != "" {
		t.Errorf("Remove left %q", got)
	}
	if err := s.Remove(m); !errors.Is(err, ErrAbsent) {
		t.Errorf("Remove twice: %v", err)
	}
}

// An archive with another digest is refused before anything is unpacked.
func TestAddRefusesAnotherArchive(t *testing.T) {
	data := archive(t, twoFiles...)
	m, s := pinned(data), Store{filepath.Join(t.TempDir(), "models")}
	other := bytes.Clone(data)
	other[len(other)/2]++
	for name, bad := range map[string][]byte{"changed": other, "longer": append(bytes.Clone(data), 0), "shorter": data[:len(data)-1], "empty": nil} {
		if err := s.Add(m, bytes.NewReader(bad)); !errors.Is(err, ErrDigest) || !strings.Contains(err.Error(), m.Integrity) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := left(t, s.Dir); got != "" {
		t.Errorf("left %q", got)
	}
}

// These archives have the right digest, so only the unpacking can refuse them.
func TestAddRefusesHostileArchives(t *testing.T) {
	a, b := twoFiles[0], twoFiles[2]
	many := []entry{a, b}
	for i := range maxEntries {
		many = append(many, entry{fmt.Sprint("package/", i), "", tar.TypeReg})
	}
	for _, c := range []struct {
		name    string
		data    []byte
		problem string
	}{
		{"parent directory", archive(t, entry{"../../a", "first", tar.TypeReg}, entry{"package/dist/../../../a", "first", tar.TypeReg}, b), "has no package/dist/a"},
		{"absolute path", archive(t, entry{"/tmp/a", "first", tar.TypeReg}, b), "has no package/dist/a"},
		{"link", archive(t, entry{"package/dist/a", "/etc/passwd", tar.TypeSymlink}, b), "not a regular file"},
		{"hard link", archive(t, entry{"package/dist/a", "package/b", tar.TypeLink}, b), "not a regular file"},
		{"longer file", archive(t, entry{"package/dist/a", "first and more", tar.TypeReg}, b), "its size is not 5 bytes"},
		{"other content", archive(t, entry{"package/dist/a", "worst", tar.TypeReg}, b), "digest"},
		{"missing file", archive(t, a), "has no package/b"},
		{"twice, in another way", archive(t, a, entry{"package/dist/a", "worst", tar.TypeReg}), "has no package/b"},
		{"bomb", archive(t, a, entry{"package/zeros", strings.Repeat("\x00", 2*maxOther), tar.TypeReg}, b), "more than"},
		{"many entries", archive(t, many...), "more than 1000 entries"},
		{"cut off", archive(t, a, b)[:60], "unexpected EOF"},
		{"no archive", []byte("text"), "not a .tgz file"},
	} {
		m := pinned(archive(t, twoFiles...))
		sum := sha512.Sum512(c.data)
		m.Integrity, m.ArchiveSize = "sha512-"+base64.StdEncoding.EncodeToString(sum[:]), int64(len(c.data))
		dir := t.TempDir()
		s := Store{filepath.Join(dir, "below", "models")}
		err := s.Add(m, bytes.NewReader(c.data))
		if err == nil || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.problem)
		}
		if got := left(t, dir); got != "" {
			t.Errorf("%s: left %q", c.name, got)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(archive(f, twoFiles...))
	f.Add(archive(f, entry{"../a", "first", tar.TypeReg}))
	f.Add([]byte{})
	m := pinned(archive(f, twoFiles...))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		inner := filepath.Join(dir, "inner")
		if err := os.Mkdir(inner, 0o700); err != nil {
			t.Fatal(err)
		}
		err := m.unpack(bytes.NewReader(data), inner)
		got := left(t, dir)
		if err == nil && got != "inner/a inner/b" {
			t.Fatalf("unpacked %q", got)
		}
		for _, name := range strings.Fields(got) {
			if name != "inner/a" && name != "inner/b" {
				t.Fatalf("wrote %q", name)
			}
		}
	})
}

func TestDownload(t *testing.T) {
	data := archive(t, twoFiles...)
	m := pinned(data)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/npm/@scope/two/-/two-1.2.3.tgz" {
			http.NotFound(w, r)
			return
		}
		w.Write(append(bytes.Clone(data), make([]byte, 1<<20)...))
	}))
	defer server.Close()
	f, err := download(t.Context(), server.URL+"/npm/", m)
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	got, err := io.ReadAll(f)
	if err != nil || !bytes.Equal(got[:len(data)], data) || len(got) != len(data)+1 {
		t.Errorf("%d bytes, %v, want %d and one more that says that it is too long", len(got), err, len(data))
	}
	if _, err := download(t.Context(), server.URL, m); err == nil || !strings.Contains(err.Error(), "status 404") {
		t.Errorf("from a registry without the package: %v", err)
	}
	secret := strings.Replace(server.URL, "http://", "http://user:hunter2@", 1)
	server.Close()
	if _, err := download(t.Context(), secret, m); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("from a registry that is gone: %v", err)
	}
}

// Without npm, the registry is the one of the environment.
func TestFetchWithoutNPM(t *testing.T) {
	data := archive(t, twoFiles...)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write(data)
	}))
	defer server.Close()
	t.Setenv("PATH", t.TempDir())
	t.Setenv("NPM_CONFIG_REGISTRY", server.URL)
	f, err := Fetch(t.Context(), pinned(data))
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := (Store{t.TempDir()}).Add(pinned(data), f); err != nil {
		t.Error(err)
	}
}

// npm is called for exactly one version, and its output is used.
func TestFetchWithNPM(t *testing.T) {
	data := archive(t, twoFiles...)
	m, bin := pinned(data), t.TempDir()
	packed := filepath.Join(bin, "packed")
	if err := os.WriteFile(packed, data, 0o600); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\n[ \"$1 $2\" = 'pack @scope/two@1.2.3' ] || exit 9\n/bin/cat '" + packed + "' > scope-two-1.2.3.tgz\n"
	if err := os.WriteFile(filepath.Join(bin, "npm"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	f, err := Fetch(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := (Store{t.TempDir()}).Add(m, f); err != nil {
		t.Error(err)
	}
	m.Version = "9.9.9"
	if _, err := Fetch(t.Context(), m); err == nil || !strings.Contains(err.Error(), "--from") {
		t.Errorf("a version that npm does not have: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Fetch(ctx, m); !errors.Is(err, context.Canceled) {
		t.Errorf("in an ended context: %v", err)
	}
}

func TestKnownModels(t *testing.T) {
	for _, m := range Known() {
		found, err := Find(m.Name)
		if err != nil || found.Identity() != m.Identity() {
			t.Errorf("Find(%q) = %v, %v", m.Name, found.Identity(), err)
		}
		if !strings.Contains(m.Identity(), m.Version) || !strings.Contains(m.Identity(), "sha512-") {
			t.Errorf("identity %q", m.Identity())
		}
		for _, f := range m.Files {
			if len(f.SHA256) != 64 || f.Size <= 0 || filepath.Base(f.Name) != f.Name {
				t.Errorf("file %+v", f)
			}
		}
	}
	if _, err := Find("none"); err == nil || !strings.Contains(err.Error(), USELite) {
		t.Errorf("Find of none: %v", err)
	}
	if _, err := OpenDirectory(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is not the model "+USELite) {
		t.Errorf("OpenDirectory of an empty directory: %v", err)
	}
}
