package replay

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
)

// journal records which tools a client has listed. A proxy that does not follow
// nextCursor indexes only the first page of a server, and the journal shows that.
type journal struct {
	mu    sync.Mutex
	lists int // number of tools/list answers
	most  int // number of the tool after the last one listed
	// file is the journal of a server that is a process of its own. It has one
	// line for each answer.
	file string
}

// journalOf returns the name of the journal of a server with the given corpus file.
func journalOf(corpusFile string) string { return corpusFile + ".listed" }

// add records an answer that ended before tool number to.
func (j *journal) add(to int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lists++
	j.most = max(j.most, to)
}

// read returns the number of answers, and how many tools they covered. A process of the
// proxy may be writing the file, so read ignores what it cannot read.
func (j *journal) read() (lists, most int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	lists, most = j.lists, j.most
	if j.file == "" {
		return lists, most
	}

	text, err := os.ReadFile(j.file)
	if err != nil {
		return lists, most
	}

	for line := range strings.Lines(string(text)) {
		if to, err := strconv.Atoi(strings.TrimSuffix(line, "\n")); err == nil {
			lists++
			most = max(most, to)
		}
	}

	return lists, most
}

// KeepJournal appends a line to file for each tools/list answer of the server. Errors
// are ignored: the journal only improves messages.
func (s *Server) KeepJournal(file string) {
	s.listed = func(to int) {
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			return
		}
		_, _ = fmt.Fprintln(f, to)
		_ = f.Close()
	}
}

// Unlisted returns a line for each server whose tools the proxy has not listed
// completely.
func (s *Servers) Unlisted() []string {
	var lines []string
	for i, p := range s.parts {
		switch lists, most := s.journals[i].read(); {
		case lists == 0:
			lines = append(lines, fmt.Sprintf("server %q was not asked for its %d tools", p.server, len(p.tools)))
		case most < len(p.tools):
			lines = append(lines, fmt.Sprintf("server %q was asked for %d of its %d tools in %d requests; a client "+
				"must ask again while an answer has a nextCursor", p.server, most, len(p.tools), lists))
		}
	}
	return lines
}
