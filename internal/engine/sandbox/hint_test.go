package sandbox

import (
	"slices"
	"testing"
)

func TestWhatALogSays(t *testing.T) {
	for line, want := range map[string]bool{
		"cat: /etc/x: Permission denied":          true,
		"open('/x') failed: [EACCES]":             true,
		"PermissionError: [Errno 13] '/x'":        true,
		"mkdir /x: read-only file system (EROFS)": true,
		"12 zerofs mounted, EROFS-utils 1.8":      true,
		"12 zerofs mounted":                       false,
		"EACCES_RETRIES=3":                        false,
		"":                                        false,
	} {
		if got := containsPhrase([]byte(line), refusal); got != want {
			t.Errorf("%q is taken for a refusal: %v, want %v", line, got, want)
		}
	}
}

func TestPathsOfALine(t *testing.T) {
	for line, want := range map[string][]string{
		"cat: /etc/x: Permission denied":                      {"/etc/x"},
		`open("/a b/c"), in ../../d.txt: EACCES`:              {"/a", "/c", "../../d.txt"},
		"[Errno 13] Permission denied: '/home/ü/x.'":          {"/home/ü/x"},
		"sh: 1: cannot create /x/y.: Read-only file system /": {"/x/y"},
		"file=/srv/x;other=(/srv/y)":                          {"/srv/x", "/srv/y"},
		"nothing":                                             nil,
	} {
		if got := paths(line); !slices.Equal(got, want) {
			t.Errorf("%q has the paths %q, want %q", line, got, want)
		}
	}
}
