package input

// cursor is the cursor of a page with which its list goes on.
type cursor struct {
	place Place
	text  bool // it is a string, as MCP has it
}

// cursorOf returns the cursor of a page. more is false for the last page, whose cursor is absent, null
// or empty. Any other value means that there is more: a program may send it back.
func (d *document) cursorOf(m member) (c cursor, more bool) {
	text, isText := m.str()
	if m.end == 0 || m.isNull() || isText && text == "" {
		return cursor{}, false
	}
	return cursor{d.place(m.at), isText}, true
}

// unscanned records that a list of a server goes on.
func (c cursor) unscanned(k *kind, server string) Unscanned {
	u := Unscanned{
		Server: server, Place: c.place, goesOn: true,
		Reason: "the list goes on: its last page has a nextCursor, so " + k.noun + "s are missing here",
		Remedy: "add the answers to the further requests to the file, one after the other",
	}
	if !c.text {
		u.Reason = "the list of " + k.noun + "s is incomplete: its nextCursor is neither a string nor null, so no " +
			"further page can be requested"
		u.Remedy = "ask the author of the server to send a string, or null at the end"
	}

	return u
}
