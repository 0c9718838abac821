// Package lazyregexp compiles regular expressions when they are first used. The program starts once for each
// stage and for each look at a pipeline, and one start needs few of its patterns.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles pattern when it is first called. It panics then if the pattern is wrong.
func New(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
