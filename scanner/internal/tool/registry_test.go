package tool

import (
	"strconv"
	"testing"
)

func TestOneEdit(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"abc", "abc", false}, {"abc", "abd", true}, {"abc", "ab", true}, {"abc", "abcd", true},
		{"abc", "bac", true}, {"abc", "cab", false}, {"", "a", true}, {"", "", false}, {"ab", "cd", false},
	} {
		if got := oneEdit(c.a, c.b); got != c.want || oneEdit(c.b, c.a) != c.want {
			t.Errorf("oneEdit(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// TestNearIndex compares the index with the comparison of all pairs.
func TestNearIndex(t *testing.T) {
	var names []string
	for i := range 60 {
		names = append(names, "tool_name_"+strconv.Itoa(i*37%101))
	}
	names = append(names, "completely_else", "completely_esle", "completelyelse")
	x := buildNear(names)
	for _, a := range names {
		want := map[string]bool{}
		for _, b := range names {
			if oneEdit(a, b) {
				want[b] = true
			}
		}
		got := x.neighbours(a, true)
		if len(got) != len(want) {
			t.Errorf("neighbours(%q) = %v, want %v", a, got, want)
		}
	}
	if got := x.neighbours("completely_els", false); len(got) != 1 {
		t.Errorf("a name that is not indexed: %v", got)
	}
}

// The server with the plain name is not reported as looking like the disguised
// one.
func TestDrawnNames(t *testing.T) {
	d := lookalikeNames{}
	for _, s := range []string{"gmail", "gmаil", "GMail", "gmai1"} {
		d.add(s)
	}
	if got := d.lookup("gmail"); got != "" {
		t.Errorf("gmail is reported to look like %q", got)
	}
	if got := d.lookup("gmаil"); got != "gmail" {
		t.Errorf("the disguised name looks like %q, want gmail", got)
	}
}

func TestSameProduct(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"calendar", "calendar-2", true},
		{"calendar-2", "calendar_v3", true},
		{"Calendar v1.2", "calendar", true},
		{"calendar", "calendars", false},
		{"mail", "mail-tools", false},
		{"2", "3", false},
		{"s3", "s", false},
		{"dev2", "de", false},
		{"", "", true},
	} {
		if got := SameProduct(tc.a, tc.b); got != tc.want {
			t.Errorf("SameProduct(%q, %q) = %v", tc.a, tc.b, got)
		}
	}
}
