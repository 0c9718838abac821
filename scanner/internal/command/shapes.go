package command

import (
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
)

// Shape is a kind of harmful command. All its parts must occur in one text, in
// order and within reach bytes of each other. Parts are in lower case, and the
// first begins at the start of a word.
type Shape struct {
	parts  []string
	reach  int
	Weight float64
	What   string
}

// Effects of a command, as reported.
const (
	Fetches     = "downloads and runs"
	doesUpload  = "uploads a file"
	doesOutput  = "uploads what a command prints"
	doesDelete  = "deletes everything"
	doesShell   = "opens a shell to somebody else"
	doesDecode  = "runs decoded code"
	doesStay    = "stays after a restart"
	doesLetIn   = "lets somebody in"
	doesOpen    = "opens files to everybody"
	doesRun     = "runs a command"
	doesScript  = "runs script in a page"
	doesSession = "steals a session"
	doesBlind   = "switches protection or records off"
	doesEscape  = "leaves its container"
	doesMine    = "computes for somebody else"
)

// shapes weigh softWeight or more if no honest text has a reason to contain
// them. Shapes that also occur in instructions of honest programs weigh less,
// and count together with their context.
var shapes = []Shape{
	{[]string{"curl ", "| sh"}, 200, 1.2, Fetches},
	{[]string{"curl ", "|sh"}, 200, 1.2, Fetches},
	{[]string{"curl ", "| sudo"}, 200, 1.4, Fetches},
	{[]string{"curl ", "| zsh"}, 200, 1.2, Fetches},
	{[]string{"curl ", "| node"}, 200, 1.2, Fetches},
	{[]string{"curl ", "bash"}, 200, 1.2, Fetches},
	{[]string{"curl ", "chmod +x"}, 200, 1.4, Fetches},
	{[]string{"curl ", "python"}, 120, 1, Fetches},
	{[]string{"curl ", "/tmp/."}, 200, 1.2, Fetches},
	{[]string{"wget ", "/tmp/."}, 200, 1.2, Fetches},
	{[]string{"wget ", "; sh "}, 200, 1.6, Fetches},
	{[]string{"* * *", "curl "}, 80, 1.6, Fetches},
	{[]string{"* * *", "wget "}, 80, 1.6, Fetches},
	{[]string{"eval ", "$(curl "}, 20, 1.6, Fetches},
	{[]string{"execsync(", "http"}, 120, 1.6, Fetches},
	{[]string{"popen(", "curl "}, 80, 1.6, Fetches},
	{[]string{"popen(", "wget "}, 80, 1.6, Fetches},
	{[]string{"--registry http"}, 60, 0.8, Fetches},
	{[]string{"--index-url http"}, 60, 0.8, Fetches},
	{[]string{"--extra-index-url http"}, 60, 0.8, Fetches},
	{[]string{"sh -c", "$(wget "}, 20, 1.5, Fetches},
	{[]string{"sh -c", "$(curl "}, 20, 1.5, Fetches},
	{[]string{"wget ", "bash"}, 200, 1.2, Fetches},
	{[]string{"wget ", "| sh"}, 200, 1.2, Fetches},
	{[]string{"wget ", "|sh"}, 200, 1.2, Fetches},
	{[]string{"wget ", "chmod +x"}, 200, 1.4, Fetches},
	{[]string{"iex", "downloadstring"}, 200, 1.8, Fetches},
	{[]string{"iex", "iwr"}, 100, 1.6, Fetches},
	{[]string{"iwr ", "| iex"}, 200, 1.6, Fetches},
	{[]string{"irm ", "| iex"}, 200, 1.4, Fetches},
	{[]string{"invoke-expression", "http"}, 200, 1.6, Fetches},
	{[]string{"invoke-webrequest", "start-process"}, 300, 1.6, Fetches},
	{[]string{"mshta ", "http"}, 80, 1.8, Fetches},
	{[]string{"regsvr32 ", "http"}, 80, 1.8, Fetches},
	{[]string{"bitsadmin ", "http"}, 120, 1.6, Fetches},
	{[]string{"certutil", "-urlcache"}, 80, 1.8, Fetches},
	{[]string{"exec(", "requests.get"}, 80, 1.8, Fetches},
	{[]string{"exec(", "urlopen"}, 80, 1.8, Fetches},
	{[]string{"chmod +x /tmp/"}, 0, 1.6, "runs a file that somebody left"},
	{[]string{"chmod 755 /tmp/"}, 0, 1.6, "runs a file that somebody left"},
	{[]string{"curl ", "-d @"}, 120, 1.2, doesUpload},
	{[]string{"curl ", "--data-binary @"}, 160, 1.5, doesUpload},
	{[]string{"curl ", "-f file=@"}, 160, 1.2, doesUpload},
	{[]string{"curl ", "-t ~/"}, 120, 1.5, doesUpload},
	{[]string{"cat ", "| curl"}, 120, 1.8, doesUpload},
	{[]string{"cat ", "| nc "}, 120, 1.8, doesUpload},
	{[]string{"base64 ", "| curl"}, 120, 1.8, doesUpload},
	{[]string{"tar ", "| curl"}, 160, 1.6, doesUpload},
	{[]string{"tar ", "| nc "}, 160, 1.6, doesUpload},
	{[]string{"scp ~/.", "@"}, 120, 1.6, doesUpload},
	{[]string{"env ", "| curl"}, 60, 1.8, doesOutput},
	{[]string{"env|curl"}, 0, 1.8, doesOutput},
	{[]string{"printenv", "| curl"}, 80, 1.8, doesOutput},
	{[]string{"printenv", "| nc "}, 80, 1.8, doesOutput},
	{[]string{"curl ", "$("}, 160, 1.5, doesOutput},
	{[]string{"nslookup $("}, 0, 1.8, doesOutput},
	{[]string{"nslookup `"}, 0, 1.8, doesOutput},
	{[]string{"dig $("}, 0, 1.8, doesOutput},
	{[]string{"rm -rf /"}, 0, 1.4, doesDelete},
	{[]string{"rm -rf ~"}, 0, 1.6, doesDelete},
	{[]string{"rm -fr /"}, 0, 1.4, doesDelete},
	{[]string{"rm -fr ~"}, 0, 1.6, doesDelete},
	{[]string{"rm -rf $home"}, 0, 1.6, doesDelete},
	{[]string{"rm -rf ."}, 0, 1, doesDelete},
	{[]string{"rm -rf *"}, 0, 1, doesDelete},
	{[]string{"remove-item", "-recurse -force"}, 80, 1.2, doesDelete},
	{[]string{"del /s /q c:"}, 0, 1.6, doesDelete},
	{[]string{"format c:"}, 0, 1.4, "formats a disk"},
	{[]string{"--no-preserve-root"}, 0, 1.6, doesDelete},
	{[]string{"mkfs."}, 0, 0.8, "formats a disk"},
	{[]string{"dd if=", "of=/dev/"}, 80, 1.4, "overwrites a disk"},
	{[]string{"vssadmin delete"}, 0, 1.6, "deletes backups"},
	{[]string{"chmod -r 777"}, 0, 1, doesOpen},
	{[]string{"chmod 777 /"}, 0, 1.4, doesOpen},
	{[]string{"chmod u+s"}, 0, 1.6, doesOpen},
	{[]string{"chmod 4755"}, 0, 1.6, doesOpen},
	{[]string{"/dev/tcp/"}, 0, 1.8, doesShell},
	{[]string{"nc ", "-e /bin/"}, 80, 1.8, doesShell},
	{[]string{"ncat ", "-e /bin/"}, 80, 1.8, doesShell},
	{[]string{"bash -i"}, 0, 1.5, doesShell},
	{[]string{"/bin/sh -i"}, 0, 1.5, doesShell},
	{[]string{"mkfifo", "nc "}, 120, 1.8, doesShell},
	{[]string{"socat ", "exec:"}, 120, 1.6, doesShell},
	{[]string{"socket.socket", "subprocess"}, 400, 1.6, doesShell},
	{[]string{"socket.socket", "/bin/"}, 400, 1.6, doesShell},
	{[]string{"base64 -d", "| sh"}, 120, 1.8, doesDecode},
	{[]string{"base64 -d", "bash"}, 120, 1.8, doesDecode},
	{[]string{"base64 --decode", "sh"}, 120, 1.8, doesDecode},
	{[]string{"xxd -r", "| sh"}, 120, 1.8, doesDecode},
	{[]string{"eval(", "atob("}, 80, 1.8, doesDecode},
	{[]string{"eval(", "buffer.from"}, 80, 1.8, doesDecode},
	{[]string{"exec(", "b64decode"}, 120, 1.8, doesDecode},
	{[]string{"eval(", "fromcharcode"}, 120, 1.8, doesDecode},
	{[]string{"powershell", "-enc"}, 120, 1.8, doesDecode},
	{[]string{"powershell", "-e "}, 60, 1.2, doesDecode},
	{[]string{">> ~/.ssh/authorized_keys"}, 0, 1.8, doesLetIn},
	{[]string{">> /etc/sudoers"}, 0, 1.8, doesLetIn},
	{[]string{">>~/.ssh/authorized_keys"}, 0, 1.8, doesLetIn},
	{[]string{"ssh-", "authorized_keys"}, 600, 1, doesLetIn},
	{[]string{"nopasswd:"}, 0, 1.4, doesLetIn},
	{[]string{"useradd ", "sudo"}, 80, 1.4, doesLetIn},
	{[]string{"usermod ", "sudo"}, 40, 1.2, doesLetIn},
	{[]string{"net user ", "/add"}, 60, 1.4, doesLetIn},
	{[]string{">> ~/.bashrc"}, 0, 1.5, doesStay},
	{[]string{">> ~/.zshrc"}, 0, 1.5, doesStay},
	{[]string{">> ~/.profile"}, 0, 1.5, doesStay},
	{[]string{"crontab", "* * *"}, 200, 1.2, doesStay},
	{[]string{"| crontab -"}, 0, 1.6, doesStay},
	{[]string{"schtasks ", "/create"}, 60, 1.4, doesStay},
	{[]string{"reg add ", `\run`}, 120, 1.6, doesStay},
	{[]string{"launchctl load"}, 0, 1.2, doesStay},
	{[]string{"core.hookspath"}, 0, 1.2, doesStay},
	{[]string{"ld_preload="}, 0, 1.4, "runs code in other programs"},
	{[]string{"os.system("}, 0, 1, doesRun},
	{[]string{"subprocess.", "shell=true"}, 160, 1.2, doesRun},
	{[]string{"__import__("}, 0, 1.3, "runs code"},
	{[]string{"__globals__", "popen("}, 200, 1.8, "runs code"},
	{[]string{"__subclasses__()"}, 0, 1.4, "runs code"},
	{[]string{"cos\nsystem"}, 0, 1.8, "runs code"},
	{[]string{"core.sshcommand"}, 0, 1.2, doesStay},
	{[]string{"proxycommand=", "nc "}, 60, 1.6, doesShell},
	{[]string{"child_process", "exec"}, 80, 1.1, doesRun},
	{[]string{"xp_cmdshell"}, 0, 1.2, doesRun},
	{[]string{"<script", "document.cookie"}, 400, 1.6, doesSession},
	{[]string{"fetch(", "document.cookie"}, 200, 1.6, doesSession},
	{[]string{"javascript:", "("}, 60, 1, doesScript},
	{[]string{"onerror=", "("}, 60, 1.2, doesScript},
	{[]string{"history -c"}, 0, 1.4, doesBlind},
	{[]string{"unset histfile"}, 0, 1.6, doesBlind},
	{[]string{"set-mppreference", "disable"}, 60, 1.8, doesBlind},
	{[]string{"setenforce 0"}, 0, 1.4, doesBlind},
	{[]string{"iptables -f"}, 0, 1.2, doesBlind},
	{[]string{"-v /:/"}, 0, 1.6, doesEscape},
	{[]string{"nsenter ", "-t 1"}, 60, 1.6, doesEscape},
	{[]string{":(){ :|:& };:"}, 0, 1.5, "exhausts the machine"},
	{[]string{"; drop table"}, 0, 1.2, "deletes a table"},
	{[]string{"source <("}, 0, 1.6, Fetches},
	{[]string{"bash <("}, 0, 1.6, Fetches},
	{[]string{"sh <("}, 0, 1.6, Fetches},
	{[]string{"python", "-c", "urlopen("}, 160, 1.4, Fetches},
	{[]string{"tcpsocket.new", "popen"}, 200, 1.8, doesShell},
	{[]string{"tcpsocket.", "exec"}, 200, 1.8, doesShell},
	{[]string{"fsockopen(", "/bin/"}, 200, 1.8, doesShell},
	{[]string{"perl -e", "socket"}, 200, 1.6, doesShell},
	{[]string{"sockets.tcpclient"}, 0, 1.6, doesShell},
	{[]string{"openssl s_client", "/bin/"}, 160, 1.6, doesShell},
	{[]string{"stratum+tcp"}, 0, 1.8, doesMine},
	{[]string{"stratum+ssl"}, 0, 1.8, doesMine},
	{[]string{"xmrig"}, 0, 1.4, doesMine},
	{[]string{"jndi:ldap:"}, 0, 1.8, Fetches},
	{[]string{"jndi:rmi:"}, 0, 1.8, Fetches},
	{[]string{"template.utility.execute"}, 0, 1.8, doesRun},
	{[]string{"freemarker.template.utility"}, 0, 1.6, doesRun},
	{[]string{"getruntime()", "exec("}, 40, 1.6, doesRun},
	{[]string{"insteadof http"}, 0, 1.2, Fetches},
	{[]string{"find / ", "-exec cp"}, 120, 1.6, doesUpload},
	{[]string{"netsh ", "state off"}, 80, 1.6, doesBlind},
	{[]string{"add-mppreference", "exclusion"}, 60, 1.6, doesBlind},
	{[]string{"ufw disable"}, 0, 1.4, doesBlind},
	{[]string{"auditctl -e 0"}, 0, 1.6, doesBlind},
}

// shapesBy lists the shapes by the first byte of their first part, for a letter
// in either case, with the sets of possible second and third bytes: bit b&31,
// where both cases of a letter are equal. firsts are the first parts, each
// once.
var shapesBy = func() (by [256]struct {
	second, third uint32
	firsts        []string
	shapes        []*Shape
}) {
	for i := range shapes {
		part := shapes[i].parts[0]
		for _, first := range [...]byte{part[0], char.Capital(part[0])} {
			at := &by[first]
			at.second |= 1 << (part[1] & 31)
			at.third |= 1 << (part[2] & 31)
			if n := len(at.shapes); n == 0 || at.shapes[n-1] != &shapes[i] {
				at.shapes = append(at.shapes, &shapes[i])
			}
			if !slices.Contains(at.firsts, part) {
				at.firsts = append(at.firsts, part)
			}
		}
	}
	return by
}()

// EachShape calls f for the shapes in a text, in order of place, with their
// offsets. It looks once at each start of a word, so it is linear.
func EachShape(text string, f func(sh *Shape, from, to int)) {
	for i := 0; i+2 < len(text); i++ {
		at := &shapesBy[text[i]]
		if at.second&(1<<(text[i+1]&31)) != 0 && at.third&(1<<(text[i+2]&31)) != 0 {
			for _, sh := range at.shapes {
				if to := sh.match(text, i); to > 0 {
					f(sh, i, to)
				}
			}
		}

		if char.WordBytes[text[i]] {
			for i+1 < len(text) && char.WordBytes[text[i+1]] {
				i++
			}
		}
	}
}

// Marks are the marks that begin a shape.
var Marks = func() (t [256]bool) {
	for i := range shapes {
		if c := shapes[i].parts[0][0]; !char.IsWord(c) {
			t[c] = true
		}
	}
	return t
}()

// Opens reports whether a shape's first part is at an offset.
func Opens(text string, i int) bool {
	if i+2 >= len(text) {
		return false
	}

	at := &shapesBy[text[i]]
	if at.second&(1<<(text[i+1]&31)) == 0 || at.third&(1<<(text[i+2]&31)) == 0 {
		return false
	}

	for _, part := range at.firsts {
		if part[1]&31 == text[i+1]&31 && part[2]&31 == text[i+2]&31 && char.HasPrefixFold(text[i:], part) {
			return true
		}
	}

	return false
}

// EachFirstWord calls f with the letters that the shapes begin with. whole
// means that the shape continues with something else, so that they are a whole
// word.
func EachFirstWord(f func(word string, whole bool)) {
	for i := range shapes {
		part := shapes[i].parts[0]
		n := 0
		for n < len(part) && char.IsWord(part[n]) {
			n++
		}
		if n > 0 {
			f(part[:n], n < len(part))
		}
	}
}

// match returns the end of the parts that begin at an offset, or -1.
func (sh *Shape) match(text string, from int) (to int) {
	if !char.HasPrefixFold(text[from:], sh.parts[0]) {
		return -1
	}

	to = from + len(sh.parts[0])
	for _, p := range sh.parts[1:] {
		i := char.IndexFold(text[to:min(len(text), to+sh.reach)], p)
		if i < 0 {
			return -1
		}

		to += i + len(p)
	}

	return to
}

// StrangePlace reports whether a command names a numeric address, or a hidden
// file of everybody or of the user. Programs that install themselves do not.
func StrangePlace(command string) bool {
	if strings.Contains(command, "/tmp/.") || strings.Contains(command, "~/.") || strings.Contains(command, "/etc/") {
		return true
	}
	_, host, found := strings.Cut(command, "://")
	return found && host != "" && host[0] >= '0' && host[0] <= '9'
}

// Runs reports whether the command runs what it fetches or decodes.
func (sh *Shape) Runs() bool {
	return sh.What == Fetches || sh.What == doesDecode || sh.What == doesShell
}

// Deletes reports whether the command deletes everything.
func (sh *Shape) Deletes() bool { return sh.What == doesDelete }
