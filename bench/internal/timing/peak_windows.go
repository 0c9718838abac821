package timing

import "os"

// peakOf returns 0, unknown.
func peakOf(*os.ProcessState) int64 { return 0 }
