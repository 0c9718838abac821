package input

import "slices"

// conversationKeys are the names under which a request to the API of a model has what user
// and model have said so far: of OpenAI and Anthropic, of OpenAI's responses, and of Gemini.
var conversationKeys = []string{"messages", "input", "contents"}

const conversationSkipped = "the conversation in this request to the API of a model is not what a " +
	"server says, and was not read"

// skipConversation passes over the conversation in a saved request to the API of a model,
// and returns the names of its members. Gemini's requests have functions, the others a model.
// An answer of a server is no request, whatever its members are.
func (d *document) skipConversation(members []member) (names []string) {
	isRequest := func(m member) bool {
		switch m.name {
		case "model":
			return m.is('"')
		case "tools":
			return slices.ContainsFunc(m.array(), func(v value) bool { _, ok := declarations(v); return ok })
		}

		return false
	}
	if d.answers || !hasName(members, conversationKeys...) || !slices.ContainsFunc(members, isRequest) {
		return nil
	}

	for _, m := range members {
		if !slices.Contains(conversationKeys, m.name) || !slices.ContainsFunc(m.array(), hasRole) {
			continue
		}

		d.in.PassedOver = append(d.in.PassedOver,
			PassedOver{Path: d.place(m.at).String(), Group: "conversations in requests to the API of a model",
				Reason: conversationSkipped})
		names = append(names, m.name)
	}

	return names
}

// hasRole reports whether a value is a message of a user or a model.
func hasRole(v value) bool {
	role, ok, err := get(v.object(), "role")
	return ok && err == nil && role.is('"')
}
