package jsonpointer

import (
	"slices"
	"testing"
)

// The pointers and members are those of section 5 of RFC 6901, and more.
func TestPointers(t *testing.T) {
	for _, test := range []struct {
		pointer string
		names   []string
	}{
		{"", nil},
		{"/foo", []string{"foo"}},
		{"/foo/0", []string{"foo", "0"}},
		{"/", []string{""}},
		{"/a~1b", []string{"a/b"}},
		{"/c%d", []string{"c%d"}},
		{"/ ", []string{" "}},
		{"/m~0n", []string{"m~n"}},
		{"/~01/~10//~0~1", []string{"~1", "/0", "", "~/"}},
	} {
		if got := Join("", test.names...); got != test.pointer {
			t.Errorf("Join(%q) = %q, want %q", test.names, got, test.pointer)
		}
		if got := Split(test.pointer); !slices.Equal(got, test.names) {
			t.Errorf("Split(%q) = %q, want %q", test.pointer, got, test.names)
		}
		if got, want := Join("/at", test.names...), "/at"+test.pointer; got != want {
			t.Errorf("Join(%q, %q) = %q, want %q", "/at", test.names, got, want)
		}
	}
	if got := Split("$defs/a~1b"); !slices.Equal(got, []string{"$defs", "a/b"}) {
		t.Errorf("without a slash at the start: %q", got)
	}
}

// A parser appends a name for each member that it reads.
func TestAppendAllocatesNothingForPlainNames(t *testing.T) {
	p := make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() { p = Append(p[:0], "properties") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
