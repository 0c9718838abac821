package command

// softMemory is the memory from which on the collector works harder, in bytes. Lists of registries need it: their
// tools and the index of these are in memory together. A scan of one server never gets near.
const softMemory = 400 << 20
