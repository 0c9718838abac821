// Package atomicfile replaces files completely or not at all, on all systems that
// Touchstone is built for. It imports no other package of this module.
//
// Only a regular file is replaced. A symbolic link keeps its place, and its target is
// replaced. Devices, pipes and the standard streams are written to directly: a rename
// over /dev/stdout would turn it into a file for every program of the machine.
//
// On Unix it is a thin layer over renameio, which does not exist for Windows: Windows
// does not guarantee that a rename is atomic. There, a file is written beside the old
// one, synced and renamed over it, which replaces it completely unless power fails in
// between.
package atomicfile
