package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The clients give up after clientLimit. A client that takes longer than patience hangs.
const (
	clientLimit = 2 * time.Second
	patience    = 20 * time.Second
)

// quietLog discards what the server says about clients that go.
var quietLog = log.New(io.Discard, "", 0)

// memoryLimit is what the program may use, in bytes.
const memoryLimit = 1 << 30

// transports are the ways in which the program meets a server.
var transports = []string{"stdio", "http", "sse", "proxy"}

// hostileServers lets the program scan hostile servers, and score them as proxies.
func hostileServers(ctx context.Context, a *attack) error {
	if err := a.honestProxy(ctx); err != nil {
		return err
	}

	for ; a.done < a.trials && ctx.Err() == nil; a.done++ {
		transport := transports[a.random.IntN(len(transports))]
		flaw := a.chooseFlaw(transport)
		began := time.Now()
		token := fmt.Sprintf("campaign-%d-%d.", os.Getpid(), a.done)
		what, r, err := a.meet(ctx, transport, flaw, token)
		if err != nil {
			return err
		}

		took := time.Since(began)
		if r.peak > a.peak {
			a.peak, a.largest = r.peak, what
		}

		if r.hung || took > patience {
			a.hangs++
			a.note("%s: took %s: %s", what, took.Round(time.Second), lastLine(r.output))
		}

		if r.peak > memoryLimit {
			a.wrong++
			a.note("%s: %d MiB of memory", what, r.peak>>20)
		}

		if strings.Contains(r.output, "panic:") || strings.Contains(r.output, "goroutine ") {
			a.wrong++
			a.note("%s: %s", what, r.output)
		}

		a.lookForProcesses(token, what)
		a.lookForLeftovers(ctx, what)
	}

	a.note("the most memory was used for %s", a.largest)
	return ctx.Err()
}

// chooseFlaw returns a flaw that a server can have over a transport.
func (a *attack) chooseFlaw(transport string) string {
	names := slices.Collect(maps.Keys(flaws))
	if transport == "stdio" {
		names = append(names, slices.Collect(maps.Keys(processFlaws))...)
	} else {
		names = append(names, slices.Collect(maps.Keys(httpFlaws))...)
	}
	if transport == "proxy" {
		names = append(names, slices.Collect(maps.Keys(processFlaws))...)
	}
	slices.Sort(names)
	return names[a.random.IntN(len(names))]
}

// meet lets the program meet one server.
func (a *attack) meet(ctx context.Context, transport, flaw, token string) (what string, r result, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", r, err
	}

	seed := strconv.FormatUint(a.random.Uint64(), 10)
	targets := []string{"initialize", "tools/list"}
	if transport == "proxy" {
		targets = []string{"ready", "tools", "search"}
	}

	target := targets[a.random.IntN(len(targets))]
	what = fmt.Sprintf("%s in %s over %s", flaw, target, transport)
	switch transport {
	case "proxy":
		r, err = a.scoreProxy(ctx, []string{self, serveVerb, "http", flaw, target, seed, token})
		return what, r, err
	case "stdio":
		words := []string{quoted(self), serveVerb, "stdio", quoted(flaw), target, seed, token}
		r = a.run(ctx, "scan", "--timeout", clientLimit.String(), "--server-command", strings.Join(words, " "))
		return what, r, nil
	}

	path := map[string]string{"http": "/mcp", "sse": "/sse"}[transport]
	server := httptest.NewUnstartedServer(&hostileServer{flaw: flaw, target: target, random: a.random})
	server.Config.ErrorLog = quietLog
	server.Start()
	r = a.run(ctx, "scan", "--timeout", clientLimit.String(), "--url", server.URL+path)
	server.CloseClientConnections()
	// A handler that sleeps never ends, and so would Close.
	_ = server.Config.Close()
	return what, r, nil
}

func quoted(word string) string { return "'" + word + "'" }

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// hostileAdapter describes a proxy that the command starts.
const hostileAdapter = `
name  = "hostile"
about = "A hostile proxy."
start { command = [%s, listen] }
ready {
  path = "/ready"
  done = answer.state == "ready"
}
tools {
  path        = "/tools"
  items       = answer.tools
  id          = item.name
  description = item.description
  schema      = item.inputSchema
}
search "rest" {
  path   = "/search"
  params = { q = query, limit = limit }
  items  = answer.tools
  id     = item.name
  score  = item.score
}
`

// honestProxy writes a corpus of one tool, and the snapshot of a proxy without flaws.
func (a *attack) honestProxy(ctx context.Context) error {
	files := map[string]string{
		"corpus.json": `{"version":"v1","generated_from":{"source":"this campaign","license":"MIT"},"tools":[
			{"tool_id":"s:t","server":"s","tool":"t","description":"Lists files.","schema":{"type":"object"}}]}`,
		"golden.json": `{"version":"v1","corpus_version":"v1","queries":[{"id":"q1","query":"show the files","labels":[{"tool_id":"s:t","relevance":2}]}]}`,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(a.dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}

	self, err := os.Executable()
	if err != nil {
		return err
	}

	r, err := a.scoreProxy(ctx, []string{self, serveVerb, "http", honest, "none", "1", "honest"})
	if err == nil && r.err != nil {
		err = fmt.Errorf("scoring a proxy without flaws fails: %w\n%s", r.err, r.output)
	}

	return err
}

// scoreProxy builds, indexes and scores the proxy that a command starts.
func (a *attack) scoreProxy(ctx context.Context, command []string) (result, error) {
	words := make([]string, len(command))
	for i, w := range command {
		words[i] = strconv.Quote(w)
	}

	in := func(name string) string { return filepath.Join(a.dir, name) }
	adapter := fmt.Sprintf(hostileAdapter, strings.Join(words, ", "))
	if err := errors.Join(os.RemoveAll(in("proxy")),
		os.WriteFile(in("hostile.hcl"), []byte(adapter), 0o644)); err != nil {
		return result{}, err
	}

	index := in("index.json")
	steps := [][]string{
		{"stage", "build-proxy", "--adapter", in("hostile.hcl"), "--out", in("proxy")},
		{"stage", "snapshot-index", "--proxy", in("proxy"), "--corpus", in("corpus.json"), "--ready-timeout",
			clientLimit.String(), "--out", index},
		{
			"stage", "score-retrieval", "--proxy", in("proxy"), "--corpus", in("corpus.json"), "--golden",
			in("golden.json"), "--index", index,
			"--search", "rest", "--ready-timeout", clientLimit.String(), "--query-timeout", clientLimit.String(),
			"--out", in("scores.json"),
		},
	}
	var whole result
	for _, args := range steps {
		r := a.run(ctx, args...)
		whole = result{output: whole.output + r.output, err: r.err, hung: r.hung, peak: max(whole.peak, r.peak)}
		if r.err != nil {
			break
		}
	}

	return whole, nil
}

// lookForProcesses counts the processes that a server left.
func (a *attack) lookForProcesses(token, what string) {
	var left []int
	for end := time.Now().Add(2 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if left = processesWith(token); len(left) == 0 {
			return
		}

		if time.Now().After(end) {
			break
		}
	}

	a.leftovers += len(left)
	a.note("%s: %d processes are left", what, len(left))
	for _, pid := range left {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// processesWith lists the processes with a text among their arguments.
func processesWith(token string) (found []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}

		line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if err == nil && strings.Contains(string(line), token) {
			found = append(found, pid)
		}
	}

	return found
}
