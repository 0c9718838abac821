// Package atomicfile replaces files completely or not at all, on all systems that
// Touchstone is built for. It imports no other package of this module.
//
// On Unix it is a thin layer over renameio, which does not exist for Windows: Windows
// does not guarantee that a rename is atomic. There, a file is written beside the old
// one, synced and renamed over it, which replaces it completely unless power fails in
// between.
package atomicfile
