package input

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/internal/base/jsonpointer"
	"github.com/touchstone-eval/touchstone/scanner"
)

// serverInfoKey is the member of _meta in which a server names itself since protocol version 2026-07-28.
const serverInfoKey = "io.modelcontextprotocol/serverInfo"

// isInitializeResult reports whether an object is an answer to initialize, or to server/discover, which has
// its place since protocol version 2026-07-28. All members are what the server says.
func isInitializeResult(want map[string]member) bool {
	return want["protocolVersion"].is('"') || want["serverInfo"].is('{') ||
		want["supportedVersions"].is('[') && want["capabilities"].is('{')
}

// instructions reads what a server says about itself in its answer to initialize: its
// instructions, its name and all further texts. beside is set if the object holds
// lists too.
func (d *document) instructions(members []member, want map[string]member, server string, beside bool) (found bool,
	err error) {
	of, ok := want["instructions"]
	answer := isInitializeResult(want)
	if ok && of.is('[') && (beside || d.answers) { // a baseline has those of several servers
		for _, row := range of.array() {
			fields := row.object()
			server := server
			if m, ok, err := get(fields, "server"); err != nil {
				return false, d.fail(m.at, err.Error(), "keep one of the two")
			} else if s, _ := m.str(); ok && s != "" {
				server = s
			}

			said, ok, err := get(fields, "instructions")
			if err != nil {
				return false, d.fail(said.at, err.Error(), "keep one of the two")
			}

			if !ok {
				said.at = row.start
			}

			d.serverTexts(fields, said, server, rowMembers)
		}

		return true, nil
	}

	if !answer && !(ok && of.is('"') && (beside || d.answers)) {
		return false, nil
	}

	if !ok {
		of.at = members[0].at
	}

	known := []string(nil)
	if answer {
		known = answerMembers()
	}

	d.serverTexts(members, of, server, known)
	return true, nil
}

// plainMembers are the members of an answer to server/discover that tell a model nothing, as long as they are no
// sentences.
var plainMembers = []string{"supportedVersions", "resultType", "ttlMs", "cacheScope"}

// liftServerInfo moves the name that a server gives itself in _meta to where an answer to initialize has it, so
// that a server is the same in both. extra are its further texts.
func (t *Tool) liftServerInfo(extra json.RawMessage) (json.RawMessage, error) {
	all := valueOf(extra).object()
	meta, _, _ := get(all, "_meta")
	info, has, _ := get(meta.object(), serverInfoKey)
	if _, twice, _ := get(all, "serverInfo"); !has || twice {
		return extra, nil
	}

	t.mapField("/serverInfo", jsonpointer.Join("/_meta", serverInfoKey))
	info.name = "serverInfo"
	lifted, err := others([]member{info}, nil)
	beside, err2 := others(all, []string{"_meta"})
	rest, err3 := others(meta.object(), []string{serverInfoKey})
	for _, more := range [][]byte{beside, wrap("_meta", rest)} {
		if len(more) > 0 {
			lifted = joinObjects(lifted, more)
		}
	}

	return lifted, errors.Join(err, err2, err3)
}

// wrap returns an object with one member, or nothing for an empty value. The name needs no escapes.
func wrap(name string, raw []byte) []byte {
	if len(raw) == 0 {
		return nil
	}
	return fmt.Appendf(nil, "{%q:%s}", name, raw)
}

// rowMembers are the members of a row that Row writes besides the further texts of a server. A further
// text may have the name of a list, if it is none: Row wrote it, so it is read back.
var rowMembers = []string{"instructions", "server"}

// answerMembers are the members of an answer to initialize that are read elsewhere or tell a model nothing.
func answerMembers() []string {
	known := []string{"instructions", "protocolVersion", "server", "nextCursor", "capabilities"}
	for i := range kinds {
		known = append(known, kinds[i].list)
	}

	return append(known, listMethods...)
}

// serverTexts records what a server says about itself: its instructions, if there are any, and
// all members that are not known. If known is nil, the members are those of a file, such as a date
// beside its lists, and only the instructions are recorded.
func (d *document) serverTexts(members []member, of member, server string, known []string) {
	t := Tool{Tool: scanner.Tool{Server: server, Subject: scanner.SubjectInstructions}, Place: d.place(of.at)}
	var problem error
	if of.end > 0 && !of.isNull() {
		var ok bool
		if t.Description, ok = of.str(); !ok {
			problem = errors.New("its instructions are not a string")
		}
	}

	if known != nil {
		extra, err := others(slices.DeleteFunc(slices.Clone(members), func(m member) bool {
			return slices.Contains(plainMembers, m.name) && !hasSentence(m.value)
		}), known)
		problem = errors.Join(problem, err)
		if t.Extra, err = t.liftServerInfo(extra); err != nil {
			problem = errors.Join(problem, err)
		}
	}

	if size := len(t.Description) + len(t.Extra); size > MaxTool {
		problem = errors.Join(problem, fmt.Errorf("it has %d bytes, and no model can read more than %d", size, MaxTool))
	}

	if problem != nil {
		d.unreadable(Unscanned{
			Server: server, Tool: t.Label(), Place: d.place(of.at),
			Reason: fmt.Sprintf("what the server says about itself is not readable: %s", problem),
			Remedy: "correct it, or ask the server's author to",
		})
		return
	}

	if t.Description != "" || t.Extra != nil {
		d.in.Others = append(d.in.Others, t)
	}
}
