//go:build !linux

package main

func hasLandlock() bool { return false }
