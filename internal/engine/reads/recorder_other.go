//go:build !linux

package reads

// Recorder makes no recordings on this system.
type Recorder struct{}

// Available returns false.
func (*Recorder) Available() bool { return false }
