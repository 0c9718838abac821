package frames

import (
	"reflect"
	"runtime"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
)

// Parts are frames and decoders that a reading does without, to measure what
// they are worth. The zero Parts are none. Bit i of senses is senseFrames[i], and
// that of sentences sentenceFrames[i].
type Parts struct {
	senses, sentences uint64
	decoders          decode.Set
}

// Families lists the frames, in the order in which they are tried.
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

// Frame returns the frame with a name.
func Frame(name string) (p Parts) {
	for i, f := range senseFrames {
		if nameOf(f.find) == name {
			p.senses |= 1 << i
		}
	}
	for i, f := range sentenceFrames {
		if nameOf(f.find) == name {
			p.sentences |= 1 << i
		}
	}
	return p
}

// Decoder returns the decoder of an encoding.
func Decoder(name string) Parts { return Parts{decoders: decode.Named(name)} }

// nameOf returns the name of the method that finds a frame.
func nameOf(find func(*passage)) string {
	name := runtime.FuncForPC(reflect.ValueOf(find).Pointer()).Name()
	return name[strings.LastIndexByte(name, '.')+1:]
}
