package reads

import (
	"strings"
	"testing"
)

func TestOldKernelsDoNotRecord(t *testing.T) {
	for release, works := range map[string]bool{
		"4.19.0-26-amd64": false, "5.4.0-150-generic": false, "5.5.0": true, "5.15.0-1": true, "6.18.44": true, "": false,
	} {
		why := kernelLacks(release)
		if (why == "") != works || !works && !strings.HasSuffix(why, "Linux 5.5 or later, and this is "+release) {
			t.Errorf("%q: %q", release, why)
		}
	}
}
