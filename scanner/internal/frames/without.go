package frames

import "slices"

// Families lists the frames that Without can take away, in the order in which they
// are tried.
func Families() []string {
	var names []string
	for _, f := range senseFrames {
		names = append(names, f.name)
	}
	for _, f := range sentenceFrames {
		names = append(names, f.name)
	}
	return names
}

// Without takes away a frame until restore is called, to measure what it is worth. No
// tool may be scanned during the call.
func Without(name string) (restore func()) {
	senses, sentences := senseFrames, sentenceFrames
	senseFrames = slices.DeleteFunc(slices.Clone(senses), func(f senseFrame) bool { return f.name == name })
	sentenceFrames = slices.DeleteFunc(slices.Clone(sentences), func(f sentenceFrame) bool { return f.name == name })
	return func() { senseFrames, sentenceFrames = senses, sentences }
}
