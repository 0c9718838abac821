package undertest

import (
	"bytes"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// killStrays ends what left the proxy's process group and still runs. Such a
// process is known by its environment: the private home directory is in it,
// and in nobody else's. The scan is repeated, since a process may fork while
// it is looked for.
func killStrays(home string) {
	for range 5 {
		found := false
		for _, pid := range processesOf(home) {
			if syscall.Kill(pid, syscall.SIGKILL) == nil {
				found = true
			}
		}
		if !found {
			return
		}
	}
}

// processesOf finds the processes whose home directory is home, but for this
// one.
func processesOf(home string) []int {
	mark := []byte("\x00HOME=" + home + "\x00")
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	var pids []int
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(append([]byte{0}, env...), mark) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// listening finds the TCP addresses that the processes of home listen at. It
// is empty where the system does not let us look.
func listening(home string) []netip.AddrPort {
	sockets := map[string]bool{}
	pids := processesOf(home)
	for _, pid := range pids {
		links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		for _, link := range links {
			to, err := os.Readlink(link)
			if inode, ok := strings.CutPrefix(to, "socket:["); err == nil && ok {
				sockets[strings.TrimSuffix(inode, "]")] = true
			}
		}
	}
	var found []netip.AddrPort
	if len(pids) == 0 {
		return nil
	}
	for _, table := range []string{"tcp", "tcp6"} {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pids[0], table))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			const listen = "0A"
			fields := strings.Fields(line)
			if len(fields) < 10 || fields[3] != listen || !sockets[fields[9]] {
				continue
			}
			if at, ok := addressText(fields[1]); ok {
				found = append(found, at)
			}
		}
	}
	return found
}
