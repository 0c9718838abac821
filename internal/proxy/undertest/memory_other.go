//go:build !linux

package undertest

// PeakMemory returns 0: this system does not report it.
func (p *Proxy) PeakMemory() int64 { return 0 }
