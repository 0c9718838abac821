package main

import (
	"encoding/binary"
	"testing"

	"github.com/touchstone-eval/touchstone/scanner/internal/classifier"
)

// TestWeights trains the classifier on the committed sets and compares the
// result with the committed weights, up to roundings of other machines. It trains once for the
// same code and examples, and then takes the weights from the user's cache.
func TestWeights(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for some seconds")
	}
	sets, unmarked, err := readTraining(".")
	if err != nil {
		t.Fatal(err)
	}
	packed, err := cachedWeights(sets, unmarked)
	if err != nil {
		t.Fatal(err)
	}
	want, have := unpack(packed), unpack(classifier.Weights)
	differ := 0
	for f := range want {
		if d := int(want[f]) - int(have[f]); d < -1 || d > 1 {
			differ++
		}
	}
	if differ > len(want)/1000 || len(want) != len(have) && differ > 0 {
		t.Errorf("%d of %d weights differ from weights.bin: run go run ./scanner/training -weights", differ, len(want))
	}
}

func unpack(packed []byte) map[classifier.Feature]int8 {
	out := map[classifier.Feature]int8{}
	for i := 0; i+classifier.RecordSize <= len(packed); i += classifier.RecordSize {
		out[classifier.Feature(binary.LittleEndian.Uint32(packed[i:]))] = int8(packed[i+4])
	}
	return out
}
