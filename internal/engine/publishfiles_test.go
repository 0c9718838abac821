package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPublishFilesReplacesWhatWasPublished(t *testing.T) {
	root := t.TempDir()
	target := filepath.Join(root, "reports")
	publish := func(files map[string][]byte) error {
		return PublishFiles(t.Context(), nil, root, "reports", files)
	}
	if err := publish(map[string][]byte{"a": []byte("1"), "old": []byte("2")}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(target, "mine"), []byte("3"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := publish(map[string][]byte{"a": []byte("4"), "b": []byte("5")}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a": "4", "b": "5", "mine": "3", "old": ""} {
		got, err := os.ReadFile(filepath.Join(target, name))
		if string(got) != want || (err != nil) != (want == "") {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	if !Published(target, "b") || Published(target, "mine") || Published(target, "old") {
		t.Error("the list of published files is wrong")
	}
	// A file of a user is never replaced, and nothing changes then.
	err := publish(map[string][]byte{"a": []byte("6"), "mine": []byte("7")})
	if err == nil || !strings.Contains(err.Error(), "mine exists and was not written by touchstone") {
		t.Errorf("%v", err)
	}
	if got, _ := os.ReadFile(filepath.Join(target, "a")); string(got) != "4" {
		t.Errorf("a is %q", got)
	}
}
