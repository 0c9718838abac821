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

// killOrphans kills processes of the proxy that have left its process group. Their
// environment contains the private home directory, which no other process has. The
// scan is repeated, because a process may fork during a scan.
func killOrphans(home string) {
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

// processesOf returns the processes of the proxy with the given home directory, except
// this one.
func processesOf(home string) []int {
	mark := []byte("\x00" + homeVariable + "=" + home + "\x00")
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

// listening returns the TCP addresses at which the processes of home listen. It
// returns nothing if the system does not permit the query.
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
