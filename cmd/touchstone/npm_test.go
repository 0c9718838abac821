package main

import (
	"context"
	"os/exec"
	"time"
)

// npmReaches reports whether npm is installed and finds a package in the user's
// registry.
func npmReaches(spec string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "npm", "view", spec, "version").Output()
	return err == nil && len(out) > 0
}
