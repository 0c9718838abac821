package main

import landlock "github.com/landlock-lsm/go-landlock/landlock/syscall"

// hasLandlock reports whether the kernel can restrict a stage to its files.
func hasLandlock() bool {
	abi, err := landlock.LandlockGetABIVersion()
	return err == nil && abi >= 2
}
