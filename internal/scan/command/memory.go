package command

import "runtime/debug"

// softMemory is the memory from which on the collector works harder, in bytes. Lists of registries need it: their
// tools and the index of these are in memory together. A scan of one server never gets near.
const softMemory = 400 << 20

// limitMemory makes the collector keep the program near softMemory. A limit that the user set in the environment
// holds instead.
func limitMemory() {
	const none = 1 << 62
	if debug.SetMemoryLimit(-1) > none {
		debug.SetMemoryLimit(softMemory)
	}
}
