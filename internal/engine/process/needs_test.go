package process

import (
	"runtime"
	"strings"
	"testing"
)

func TestNeeds(t *testing.T) {
	here := runtime.GOOS + "/" + runtime.GOARCH
	for _, c := range []struct {
		name     string
		platform string
		memoryMB int64
		err      string
	}{
		{name: "no wish"},
		{name: "this platform", platform: here, memoryMB: 1},
		{name: "a variant of it", platform: here + "/v8"},
		{name: "another", platform: "plan9/mips", err: "it needs the platform plan9/mips, but this machine is " + here},
		{name: "one that begins alike", platform: here + "x", err: "it needs the platform"},
		{name: "too much", memoryMB: 1 << 40, err: "it needs 1099511627776 MiB of memory, but this machine has"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.memoryMB > 1 && memoryMB() == 0 {
				t.Skip("this system does not say how much memory it has")
			}
			err := Needs{Platform: c.platform, MemoryMB: c.memoryMB}.Met()
			if c.err == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), c.err) {
				t.Errorf("%v, want %q", err, c.err)
			}
		})
	}
}
