package frames

import (
	"reflect"
	"runtime"
	"slices"
	"strings"
)

// Families lists the frames that Without can take away, in the order in which they
// are tried.
func Families() []string {
	var names []string
	for _, f := range senseFrames {
		names = append(names, nameOf(f.find))
	}
	for _, f := range sentenceFrames {
		names = append(names, nameOf(f.find))
	}
	return names
}

// Without takes away a frame until restore is called, to measure what it is worth. No
// tool may be scanned during the call.
func Without(name string) (restore func()) {
	senses, sentences := senseFrames, sentenceFrames
	senseFrames = slices.DeleteFunc(slices.Clone(senses), func(f senseFrame) bool { return nameOf(f.find) == name })
	sentenceFrames = slices.DeleteFunc(slices.Clone(sentences), func(f sentenceFrame) bool { return nameOf(f.find) == name })
	return func() { senseFrames, sentenceFrames = senses, sentences }
}

// nameOf returns the name of the method that finds a frame.
func nameOf(find func(*passage)) string {
	name := runtime.FuncForPC(reflect.ValueOf(find).Pointer()).Name()
	return name[strings.LastIndexByte(name, '.')+1:]
}
