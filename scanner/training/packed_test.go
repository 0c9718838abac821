package main

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
)

// TestPacked compares the committed files with the output for the word lists.
func TestPacked(t *testing.T) {
	lex := compileLexicon()
	var spelling packer
	spelling.trie(compileSpelling(lex))
	for _, f := range []struct {
		name         string
		want, packed []byte
	}{
		{"lexicon.bin", packLexicon(lex), lexicon.Packed},
		{"spelling.bin", spelling, lexicon.PackedSpelling},
	} {
		if !bytes.Equal(f.want, f.packed) {
			t.Errorf("%s does not match the word lists: run go run ./scanner/training", f.name)
		}
	}
}

// TestUnpacked checks that the scanner unpacks what was packed.
func TestUnpacked(t *testing.T) {
	lex := compileLexicon()
	if got := lexicon.Get(); !reflect.DeepEqual(got, lex) {
		t.Error("the lexicon is not what was packed")
	}
	if got := lexicon.Spelling(); !reflect.DeepEqual(got, compileSpelling(lex)) {
		t.Error("the trie of spellings is not what was packed")
	}
}
