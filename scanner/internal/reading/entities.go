package reading

import (
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
	"github.com/touchstone-eval/touchstone/scanner/internal/tripwire"
)

// The classes of entities that patterns of tripwires name: files, addresses, tools, parameters.

// addEntities adds the classes of the entity that begins at token i.
func (x *passage) addEntities(i int, c *tripwire.Classes) {
	t, text := &x.toks[i], x.doc.Text
	after := text[t.End:]
	before := byte(' ')
	if t.Start > 0 {
		before = text[t.Start-1]
	}

	if t.Means.Any(concept.Secret | concept.CredPath) {
		c.Add(tripwire.Credentials)
	}

	if t.Means.Any(concept.CredPath) {
		c.Add(tripwire.CredentialFile)
	}

	if before == '/' || before == '.' || before == '\\' {
		if systemFile(text, int(t.Start)) {
			c.Add(tripwire.SystemFile)
		}

		if opensPath(text[:t.Start]) {
			c.Add(tripwire.Path)
		}
	}

	if t.Flags&token.Tag != 0 && (before == '|' || x.isWord(i, "system", "sys", "assistant", "inst", "hidden")) {
		c.Add(tripwire.ChatTag)
	}

	if strings.HasPrefix(after, "://") {
		c.Add(tripwire.URL)
	}

	if strings.HasPrefix(after, "@") && len(after) > 1 && char.IsWord(after[1]) {
		c.Add(tripwire.Email)
	}

	if text[t.Start] >= '0' && text[t.Start] <= '9' {
		c.Add(tripwire.Amount)
		c.Add(tripwire.Literal)
	}

	if t.Flags&token.Quote != 0 || t.Flags&(token.Code|token.Ident) == token.Code {
		c.Add(tripwire.Literal)
	}

	x.addNamedEntities(i, c)
}

// addNamedEntities adds the classes of the name that begins at token i, if one does.
func (x *passage) addNamedEntities(i int, c *tripwire.Classes) {
	t := &x.toks[i]
	quoted := t.Flags&(token.Quote|token.Code) != 0
	if quoted && x.namesOtherParameter(i) {
		c.Add(tripwire.OtherParameter)
	}

	switch kebab := x.kebab(i); {
	case kebab != "":
		owner := x.ownerOf(kebab)
		if !quoted && owner != ownerOther && (x.reg == nil || x.reg.Meant(x.v.Server, x.v.Name, kebab) == nil) {
			return // a compound
		}

		if owner == ownerOther {
			c.Add(tripwire.Identifier)
		}

		x.callable(kebab, owner, c)
	case t.Flags&token.Ident != 0 &&
		(i == 0 || x.toks[i-1].Flags&token.Ident == 0 || t.Flags&token.Break != 0 || x.gap(i)):
		x.named(i, c)
	case x.reg != nil && quoted && x.ownerOf(x.word(i)) == ownerOther:
		c.Add(tripwire.Identifier)
		x.callable(x.word(i), ownerOther, c)
	case quoted && t.Flags&token.Ident == 0 && x.isWord(i+1, "tool", "function"):
		x.callable(x.word(i), x.ownerOf(x.word(i)), c)
	case x.describesTool(i):
		c.Add(tripwire.Tool)
	case t.Flags&token.Code != 0, x.into(i) && x.isParameter(i):
		c.Add(tripwire.Identifier)
	}
}

// isParameter reports whether the word at token i is the name of a parameter of this
// tool: "pass it in notes".
func (x *passage) isParameter(i int) bool { return x.hasParameter(x.word(i)) }

// hasParameter reports whether this tool has a parameter with a name, in any case.
func (x *passage) hasParameter(name string) bool {
	for k := range min(len(x.v.Fields), maxNamed) {
		if f := &x.v.Fields[k]; f.Kind == tool.KindParamName && strings.EqualFold(f.Text, name) {
			return true
		}
	}
	return false
}

// namesOtherParameter reports whether the quoted name at token i stands beside "parameter" or
// "argument" and is not that of a parameter of this tool.
func (x *passage) namesOtherParameter(i int) bool {
	if i > 0 && x.toks[i-1].Flags&token.Ident != 0 && !x.gap(i) {
		return false // a later word of the name
	}
	name, end := x.identifier(i), i+1
	for end < len(x.toks) && x.toks[end].Start < x.toks[i].Start+uint32(len(name)) {
		end++
	}
	return (x.isWord(i-1, "parameter", "argument") ||
		x.isWord(end, "parameter", "argument", "parameters", "arguments")) && !x.hasParameter(name)
}

// callable adds the kinds of a name that may be another tool's. owner is what ownerOf says of
// it. A parameter of this tool has none of these kinds.
func (x *passage) callable(name string, owner int, c *tripwire.Classes) {
	if owner == ownerSelf {
		if x.reg == nil {
			return
		}

		if t := x.reg.Meant(x.v.Server, x.v.Name, name); t != nil && t.Name != x.v.Name {
			c.Add(tripwire.Callable)
		}

		return
	}

	c.Add(tripwire.Callable)
	c.Add(tripwire.Stranger)
	if owner == ownerOther {
		c.Add(tripwire.Tool)
		c.Add(tripwire.KnownTool)
	}
}

// named adds the kinds of the identifier that begins at token i.
func (x *passage) named(i int, c *tripwire.Classes) {
	name := x.identifier(i)
	if !strings.Contains(name, "_") && !isCamelCase(name) {
		return
	}

	c.Add(tripwire.Identifier)
	if strings.EqualFold(name, x.v.Name) {
		c.Add(tripwire.Self)
		return
	}

	owner := x.ownerOf(name)
	x.callable(name, owner, c)
	if owner == ownerUnknown && x.actionName(i) && !x.sameFamily(name) {
		c.Add(tripwire.Tool)
	}
}

// systemFile reports whether the name at a place in a text is that of a file of the system,
// or of a hidden one in a home directory. A program's own settings are neither.
func systemFile(text string, at int) bool {
	before, name := text[:at], text[at:]
	name = name[:len(name)-len(strings.TrimLeft(name, fileLetters))]
	for _, dir := range [...]string{"~/.", "$HOME/.", "/root/."} {
		if strings.HasSuffix(before, dir) {
			return !slices.Contains(ownSettings, name)
		}
	}

	if strings.HasSuffix(before, "/etc/") {
		name, _, _ = strings.Cut(name, ".")
		return slices.Contains(systemSettings, name)
	}

	for _, dir := range [...]string{"/.ssh/", "/boot/", "System32\\"} {
		if strings.HasSuffix(before, dir) {
			return true
		}
	}

	return false
}

// ownSettings are the directories of a home in which programs keep their settings.
var ownSettings = []string{"config", "cache", "local"}

// systemSettings are the names in /etc, up to a dot, that decide who may log in, what runs
// and where names lead, or that tell about the machine.
var systemSettings = []string{"passwd", "shadow", "gshadow", "group", "sudoers", "hosts", "hostname", "ssh", "ssl",
	"pki", "pam", "security", "cron", "crontab", "anacrontab",
	"profile", "bash", "bashrc", "zsh", "zshrc", "environment", "resolv", "nsswitch", "fstab", "systemd", "init", "rc",
	"ld", "apt", "kubernetes", "network",
	"os-release", "machine-id", "issue", "motd", "nginx", "apache2"}

const fileLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

// opensPath reports whether what follows a text is the first name of a path: after
// a slash at the beginning of a word, or after "~/" or "/.".
func opensPath(before string) bool {
	if strings.HasSuffix(before, "/.") {
		return true
	}
	root, ok := strings.CutSuffix(before, "/")
	return ok && (root == "" || strings.IndexByte("~ `\"", root[len(root)-1]) >= 0)
}
