//go:build !linux

package undertest

// PeakMemory is not known here.
func (p *Proxy) PeakMemory() int64 { return 0 }
