package tokencount

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The counts are those of js-tiktoken 1.0.21 with the encoding o200k_base.
func TestCount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"":                                     0,
		"hello world":                          2,
		"supercalifragilistic":                 6,
		"Hello, 世界!":                           4,
		" ":                                    1,
		`{"name":"github:create_issue"}`:       7,
		"<|endoftext|>":                        7,
		strings.Repeat("a", 64):                8,
		"The quick brown fox jumps over a dog": 8,
	} {
		if got, err := Count(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
}

// As for TestCount, on a large text: names, prose in several languages and JSON. The
// file is frozen.
func TestCountCorpus(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../datasets/corpus_v2.json")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Count(string(text)); err != nil || got != 131522 {
		t.Errorf("got %d, %v", got, err)
	}
}

// Every byte is counted, also those that are not UTF-8.
func TestCountInvalidUTF8(t *testing.T) {
	t.Parallel()
	text := "a\xff\xfeb"
	first, err := Count(text)
	if err != nil || first < 3 {
		t.Fatalf("got %d, %v", first, err)
	}
	if again, _ := Count(text); again != first {
		t.Errorf("got %d, then %d", first, again)
	}
}

func TestThrough(t *testing.T) {
	t.Parallel()
	text := "hello world, hello world" // hello| world|,| hello| world
	total, through, err := Through(text, []int{0, 5, 6, 11, 12, 13, len(text)})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{0, 1, 2, 2, 3, 4, 5}; total != 5 || !slices.Equal(through, want) {
		t.Errorf("got %d and %v, want 5 and %v", total, through, want)
	}
	for i, end := range []int{5, 11, 12} { // between tokens, a part counts as much as alone
		alone, err := Count(text[:end])
		if err != nil || alone != through[[]int{1, 3, 4}[i]] {
			t.Errorf("%q: got %d, %v", text[:end], alone, err)
		}
	}
}
