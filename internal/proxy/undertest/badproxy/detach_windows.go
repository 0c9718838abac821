package badproxy

import "os/exec"

// detach does nothing: a job object also holds the children of its processes.
func detach(*exec.Cmd) {}
