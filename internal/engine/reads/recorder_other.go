//go:build !linux

package reads

import "runtime"

// Recorder makes no recordings on this system.
type Recorder struct{}

// Unavailable returns the reason.
func (*Recorder) Unavailable() string { return "it needs Linux, and this is " + runtime.GOOS }
