package scanner

import "strings"

// checkCode finds commands and code that do harm when somebody follows the
// text.
var checkCode = registered{codeInfo, inspectCode}

var codeInfo = CheckInfo{
	ID: "code.malicious", Tier: TierHard, ThreatType: ThreatMaliciousCode,
	Description: "commands or code in the text that fetch and run, delete, open a shell or persist",
}

// codeShape is a kind of harmful command: all its parts in one text, in
// order, within reach bytes of each other.
type codeShape struct {
	parts  []string
	reach  int
	weight float64
	what   string
}

var codeShapes = []codeShape{
	{[]string{"curl ", "| sh"}, 200, 1.2, "downloads and runs"},
	{[]string{"curl ", "|sh"}, 200, 1.2, "downloads and runs"},
	{[]string{"sh -c", "$(wget "}, 20, 1.5, "downloads and runs"},
	{[]string{"sh -c", "$(curl "}, 20, 1.5, "downloads and runs"},
	{[]string{"curl ", "bash"}, 200, 1.2, "downloads and runs"},
	{[]string{"wget ", "bash"}, 200, 1.2, "downloads and runs"},
	{[]string{"wget ", "| sh"}, 200, 1.2, "downloads and runs"},
	{[]string{"wget ", "chmod +x"}, 200, 1.4, "downloads and runs"},
	{[]string{"curl ", "chmod +x"}, 200, 1.4, "downloads and runs"},
	{[]string{"curl ", "python"}, 120, 1, "downloads and runs"},
	{[]string{"curl ", "-d @"}, 120, 1.5, "uploads a file"},
	{[]string{"curl ", "--data-binary @"}, 160, 1.5, "uploads a file"},
	{[]string{"curl ", "-f file=@"}, 160, 1.2, "uploads a file"},
	{[]string{"cat ", "| curl"}, 120, 1.8, "uploads a file"},
	{[]string{"cat ", "| nc "}, 120, 1.8, "uploads a file"},
	{[]string{"curl ", "$("}, 160, 1.5, "uploads what a command prints"},
	{[]string{"rm -rf /"}, 0, 1.2, "deletes everything"},
	{[]string{"rm -rf ~"}, 0, 1.4, "deletes everything"},
	{[]string{"rm -fr /"}, 0, 1.2, "deletes everything"},
	{[]string{"rm -rf $home"}, 0, 1.4, "deletes everything"},
	{[]string{"chmod -r 777"}, 0, 1, "opens files to everybody"},
	{[]string{"chmod 777 /"}, 0, 1.2, "opens files to everybody"},
	{[]string{"--no-preserve-root"}, 0, 1.4, "deletes everything"},
	{[]string{"mkfs."}, 0, 1.2, "formats a disk"},
	{[]string{"dd if=", "of=/dev/"}, 80, 1.4, "overwrites a disk"},
	{[]string{"/dev/tcp/"}, 0, 1.8, "opens a shell to somebody else"},
	{[]string{"nc ", "-e /bin/"}, 80, 1.8, "opens a shell to somebody else"},
	{[]string{"bash -i"}, 0, 1.5, "opens a shell to somebody else"},
	{[]string{"mkfifo", "nc "}, 120, 1.8, "opens a shell to somebody else"},
	{[]string{"socket.socket", "subprocess"}, 400, 1.6, "opens a shell to somebody else"},
	{[]string{"base64 -d", "| sh"}, 120, 1.8, "runs decoded code"},
	{[]string{"base64 -d", "bash"}, 120, 1.8, "runs decoded code"},
	{[]string{"base64 --decode", "sh"}, 120, 1.8, "runs decoded code"},
	{[]string{"eval(", "atob("}, 80, 1.8, "runs decoded code"},
	{[]string{"exec(", "b64decode"}, 120, 1.8, "runs decoded code"},
	{[]string{"eval(", "fromcharcode"}, 120, 1.8, "runs decoded code"},
	{[]string{"powershell", "-enc"}, 120, 1.8, "runs decoded code"},
	{[]string{"powershell", "-e "}, 60, 1.2, "runs decoded code"},
	{[]string{"iex", "downloadstring"}, 200, 1.8, "downloads and runs"},
	{[]string{"iex", "iwr"}, 100, 1.6, "downloads and runs"},
	{[]string{"invoke-expression", "http"}, 200, 1.6, "downloads and runs"},
	{[]string{"mshta ", "http"}, 80, 1.8, "downloads and runs"},
	{[]string{"certutil", "-urlcache"}, 80, 1.8, "downloads and runs"},
	{[]string{">> ~/.ssh/authorized_keys"}, 0, 1.8, "lets somebody in"},
	{[]string{"ssh-", "authorized_keys"}, 600, 1, "lets somebody in"},
	{[]string{">> ~/.bashrc"}, 0, 1.4, "stays after a restart"},
	{[]string{">> ~/.zshrc"}, 0, 1.4, "stays after a restart"},
	{[]string{"crontab", "* * *"}, 200, 1.2, "stays after a restart"},
	{[]string{"os.system("}, 0, 1, "runs a command"},
	{[]string{"__import__("}, 0, 1.3, "runs code"},
	{[]string{"child_process", "exec"}, 80, 1.1, "runs a command"},
	{[]string{"<script", "document.cookie"}, 400, 1.6, "steals a session"},
	{[]string{"fetch(", "document.cookie"}, 200, 1.6, "steals a session"},
	{[]string{"javascript:", "("}, 60, 1, "runs script in a page"},
	{[]string{"onerror=", "("}, 60, 1.2, "runs script in a page"},
	{[]string{":(){ :|:& };:"}, 0, 1.5, "exhausts the machine"},
	{[]string{"'; drop table"}, 0, 1.2, "deletes a table"},
	{[]string{"xp_cmdshell"}, 0, 1.2, "runs a command"},
}

func inspectCode(v *ToolView, r *RegistryView) []Signal {
	docs := v.analyze()
	about := v.purpose()
	best, weight := -1, 0.0
	var at, end int
	var what string
	var buf [512]byte
	for i := range docs {
		d := &docs[i]
		if len(d.text) < 8 || !codeWorth(v, d) {
			continue
		}
		low := string(lowerASCII(buf[:0], d.text))
		for k := range codeShapes {
			sh := &codeShapes[k]
			from, to := sh.match(low)
			if from < 0 {
				continue
			}
			w := sh.weight
			if s := v.sentenceAt(d, from); s != nil {
				toks := v.tokens[s.tok0:s.tok1]
				for j := range toks {
					if int(toks[j].start) >= from {
						break
					}
					if toks[j].c.any(cCall) && moodOf(toks, j, s) >= moodOrder {
						w += 0.6
						break
					}
				}
				if s.mask.any(cBefore | cMust) {
					w += 0.5
				}
				if s.mask.any(cMeta|cNeg) || v.introduced(d, s) {
					w *= 0.3
				}
			}
			if about.any(cMeta) {
				w *= 0.3
			}
			if about.any(cShell|cDestroy) && v.fields[d.field].kind != kindDescription {
				w *= 0.5 // an example of what a shell tool takes
			}
			if v.fields[d.field].layer != "" {
				w += 0.8
			}
			if w > weight {
				best, weight, at, end, what = i, w, from, to, sh.what
			}
		}
	}
	if f, reaches := v.valueCommand(); f != nil && !about.any(cMeta|cShell) {
		s := Signal{CheckID: codeInfo.ID, Tier: TierSoft, ThreatType: ThreatMaliciousCode, Confidence: 0.7,
			Evidence: f.text, Detail: f.where() + ": a command in the place of a value"}
		if reaches {
			s.Tier, s.Confidence = TierHard, 0.9
		}
		return []Signal{s}
	}
	t := v.tally(r)
	command := t.best[frCommand].weight
	if weight+command < softWeight {
		return nil
	}
	if best < 0 {
		h := t.best[frCommand]
		d := &docs[h.doc]
		return []Signal{{CheckID: codeInfo.ID, Tier: TierSoft, ThreatType: ThreatMaliciousCode, Confidence: 0.5,
			Evidence: excerpt(d.text, int(h.start), int(h.end)), Detail: v.fields[d.field].where() + ": " + frameNames[frCommand]}}
	}
	d := &docs[best]
	s := Signal{CheckID: codeInfo.ID, Tier: TierSoft, ThreatType: ThreatMaliciousCode,
		Confidence: positionDiscount(min(weight/3, 1), at), Evidence: excerpt(d.text, at, end),
		Detail: v.fields[d.field].where() + ": " + what}
	if weight >= 2.6 && !about.any(cMeta|cShell) {
		s.Tier = TierHard
		s.critical = v.fields[d.field].layer != ""
	}
	return []Signal{s}
}

// codeWorth says whether a text can hold a command at all: it has a word of
// commands, and marks that prose does not need.
func codeWorth(v *ToolView, d *doc) bool {
	shell := false
	for _, t := range v.tokens[d.tok0:d.tok1] {
		if t.c.any(cShell) {
			shell = true
			break
		}
	}
	return shell && strings.ContainsAny(d.text, "|/(>;=")
}

// match finds the parts in order; the offsets of the whole, or -1.
func (sh *codeShape) match(low string) (from, to int) {
	from = strings.Index(low, sh.parts[0])
	if from < 0 {
		return -1, -1
	}
	to = from + len(sh.parts[0])
	for _, p := range sh.parts[1:] {
		limit := min(len(low), to+sh.reach)
		i := strings.Index(low[to:limit], p)
		if i < 0 {
			return -1, -1
		}
		to += i + len(p)
	}
	return from, to
}

// sentenceAt finds the sentence around an offset.
func (v *ToolView) sentenceAt(d *doc, at int) *sentence {
	for s := d.sen0; s < d.sen1; s++ {
		if int(v.clauses[s].end) > at {
			return &v.clauses[s]
		}
	}
	return nil
}
