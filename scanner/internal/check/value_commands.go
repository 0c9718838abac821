package check

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/capability"
	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/power"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Commands in values: a default, an example or an enumeration whose text a
// shell would execute, in a tool that has nothing to do with shells.

// riskyPrograms are programs that a value has no reason to start. Programs that
// only print the date or the directory are not listed.
var riskyPrograms = map[string]bool{
	"cat": true, "curl": true, "wget": true, "base64": true, "printenv": true, "env": true, "whoami": true, "id": true,
	"nc": true, "ncat": true, "netcat": true, "tar": true, "sh": true, "bash": true, "zsh": true, "python": true,
	"python3": true,
	"perl":    true, "ruby": true, "node": true, "xxd": true, "openssl": true, "gpg": true, "find": true, "ls": true,
	"head": true,
	"tail": true, "scp": true, "rsync": true, "ssh": true, "rm": true, "chmod": true, "crontab": true, "nohup": true,
	"dig":      true,
	"nslookup": true, "powershell": true, "pwsh": true, "cmd": true, "security": true, "history": true, "pbpaste": true,
	"xclip": true,
	"aws":   true, "gcloud": true, "kubectl": true, "docker": true, "sudo": true, "iwr": true,
	"invoke-webrequest": true,
	"mail":              true,
}

// shellMarks are the characters that join commands or delimit them.
var shellMarks = char.SetOf("$`;|&")

// valueCommand finds such a value. The second result reports whether it
// accesses credentials or the network, which no default value does.
func valueCommand(v *tool.View) (at *tool.Field, reaches bool) {
	for i := range v.Docs {
		f := &v.Fields[v.Docs[i].Field]
		switch f.Kind {
		case tool.KindDefault, tool.KindEnum, tool.KindExample:
		default:
			continue
		}

		s := v.Docs[i].Text
		if len(s) < 6 || !shellMarks.In(s) || takesCommands(v, f.Param) {
			continue
		}

		if substitutes(s) || chained(s) {
			return f, v.MeansOf(i).Any(concept.CredPath) || strings.Contains(s, "/etc/") ||
				strings.Contains(s, "~/.") || networked(s)
		}
	}

	return nil, false
}

// takesCommands reports whether the name of a parameter says that it takes
// commands.
func takesCommands(v *tool.View, param string) bool {
	for i := range v.Docs {
		if f := &v.Fields[v.Docs[i].Field]; f.Kind == tool.KindParamName && f.Text == param &&
			capability.ParamPower(v, i) == power.Exec {
			return true
		}
	}
	return false
}

// substitutes finds $(program ...) and `program ...`.
func substitutes(s string) bool {
	for i := 0; i+2 < len(s); i++ {
		switch {
		case s[i] == '$' && s[i+1] == '(' && riskyPrograms[program(s[i+2:])]:
			return true
		case s[i] == '`' && strings.IndexByte(s[i+1:], '`') > 0 && riskyPrograms[program(s[i+1:])]:
			return true
		}
	}
	return false
}

// chained finds a risky program after something that ends a command.
func chained(s string) bool {
	for i := 0; i+2 < len(s); i++ {
		if s[i] == ';' || s[i] == '|' || s[i] == '&' {
			rest := strings.TrimLeft(s[i+1:], ";|& ")
			p := program(rest)
			// The names of several programs are also ordinary words; the next
			// word distinguishes them.
			if args := strings.TrimLeft(rest[min(len(rest), len(p)+1):], " "); riskyPrograms[p] && args != "" &&
				(strings.IndexByte("-/~.$\"'<", args[0]) >= 0 || networked(rest)) {
				return true
			}
		}
	}

	return false
}

func networked(s string) bool {
	for _, p := range [...]string{"://", "curl ", "wget ", "nc ", "scp ", "ssh ", "dig ", "nslookup "} {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// program returns the lower-case word at the beginning of a command.
func program(s string) string {
	s = strings.TrimLeft(s, " ")
	n := 0
	for n < len(s) && n < 20 && (char.IsWord(s[n]) || s[n] == '-') {
		n++
	}
	return strings.ToLower(s[:n])
}
