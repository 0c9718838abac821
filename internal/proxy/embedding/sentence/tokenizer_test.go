package sentence

import (
	"slices"
	"strings"
	"testing"
)

const smallVocabulary = `[["�",0],["<s>",0],["</s>",0],["x",0],["y",0],["z",0],
	["▁",-5],["a",-3],["b",-3],["ab",-4],["▁a",-3.5],["bc",-1],[":)",null],["é",-2],["abc",-20],[":",-1],[")",-1],["??",-1]]`

// Ids of smallVocabulary.
const (
	idSpace = iota + reserved
	idA
	idB
	idAB
	idSpaceA
	idBC
	idSmile
	idE
)

func smallTokenizer(t testing.TB) *tokenizer {
	t.Helper()
	tok, err := newTokenizer([]byte(smallVocabulary))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func TestEncode(t *testing.T) {
	tok := smallTokenizer(t)
	for _, c := range []struct {
		text string
		want []int32
	}{
		{"", nil},
		{"a", []int32{idSpaceA}},
		{" a", []int32{idSpace, idSpaceA}},
		{"ab", []int32{idSpaceA, idB}},                 // -6.5, and -9 by ▁ and ab
		{"abc", []int32{idSpaceA, idBC}},               // the long piece costs more
		{"??", []int32{idSpace, unknown}},              // "?" alone is not reached, and so costs nothing
		{"b:)", []int32{idSpace, idB, idSmile}},        // a score of null counts as 0
		{"xyz", []int32{idSpace, unknown}},             // control symbols match no text
		{"😀😀a", []int32{idSpace, unknown, idA}},        // neighbouring unknown characters are one
		{"e\u0301", []int32{idSpace, idE}},             // composed by NFKC
		{"\u00a0", []int32{idSpace, idSpace}},          // a space by NFKC
		{"ａ", []int32{idSpaceA}},                       // full width by NFKC
		{"a\xffb", []int32{idSpaceA, unknown, idB}},    // not UTF-8
		{"a\nb", []int32{idSpaceA, unknown, idB}},      // only the space separates
		{"bbbb", []int32{idSpace, idB, idB, idB, idB}}, // no piece holds two
	} {
		if got := tok.encode(c.text); !slices.Equal(got, c.want) {
			t.Errorf("encode(%q) = %v, want %v", c.text, got, c.want)
		}
	}
}

func TestNewTokenizerRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                         "cannot unmarshal",
		`[["a",1]]`:                  "1 entries",
		`[[1,2]]`:                    "cannot unmarshal",
		`[["a"],["b"]]`:              "not a pair",
		`[["a",1,2]]`:                "not a pair",
		`[[null,1]]`:                 "not a pair",
		strings.Repeat(`["",0],`, 7): "after top-level value",
		`[` + strings.Repeat(`["",0],`, 6) + `["",0]]`: "entry 6 is empty",
	} {
		if _, err := newTokenizer([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("newTokenizer(%s): error %v, want one with %q", text, err, want)
		}
	}
}

// FuzzEncode checks that the pieces of a text are in the vocabulary, that no
// two unknown ones are adjacent, and that there are no more pieces than
// characters.
func FuzzEncode(f *testing.F) {
	tok := smallTokenizer(f)
	for _, text := range []string{"", "a b", "abcabc", "\xff", "▁▁", "😀", "\u0301\u0301"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ids := tok.encode(text)
		if (text == "") != (len(ids) == 0) {
			t.Fatalf("%q has the pieces %v", text, ids)
		}
		for i, id := range ids {
			if id < 0 || int(id) >= tok.size {
				t.Fatalf("piece %d of %q is %d", i, text, id)
			}
			if i > 0 && id == unknown && ids[i-1] == unknown {
				t.Fatalf("%q has two adjacent unknown pieces: %v", text, ids)
			}
		}
	})
}

func FuzzNewTokenizer(f *testing.F) {
	f.Add([]byte(smallVocabulary))
	f.Add([]byte(`[["a",1,2],null]`))
	f.Fuzz(func(t *testing.T, vocabulary []byte) {
		tok, err := newTokenizer(vocabulary)
		if err == nil {
			tok.encode("a text of some words")
		}
	})
}
