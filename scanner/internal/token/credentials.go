package token

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/char"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
)

// CredentialWords are words that name a file with credentials if they are part
// of a path: after a dot, a slash or a backslash, or before ".json" and the
// like. The lexicon marks them, and credential checks their context.
const CredentialWords = `ssh rsa env npmrc netrc pgpass kube kubeconfig aws gnupg keychains passwd shadow
	credentials mcp cookies pypirc pem kdbx dsa ecdsa ed25519 htpasswd boto gitconfig config
	history authorized vault wallet keystore secrets tfstate azure gcloud docker bashrc zshrc
	profile login p12 pfx token key claude cursor password passwords known dockercfg pgp`

// credPairs hold the required text before and after such a word, in lower case.
// An empty string matches anything.
var credPairs = map[string][]struct{ before, after string }{
	"ssh":        {{".", ""}, {"/", "/"}},
	"rsa":        {{"id_", ""}},
	"dsa":        {{"id_", ""}},
	"ecdsa":      {{"id_", ""}},
	"ed25519":    {{"id_", ""}},
	"env":        {{".", ""}},
	"npmrc":      {{"", ""}},
	"netrc":      {{"", ""}},
	"pgpass":     {{"", ""}},
	"pypirc":     {{"", ""}},
	"kube":       {{".", ""}},
	"kubeconfig": {{"", ""}},
	"aws":        {{".", ""}},
	"azure":      {{".", "/"}},
	"gcloud":     {{"/", "/"}},
	"gnupg":      {{"", ""}},
	"pgp":        {{".", ""}},
	"keychains":  {{"/", ""}},
	"passwd":     {{"/etc/", ""}},
	"shadow":     {{"/etc/", ""}},
	"credentials": {{"/", ""}, {".", ""}, {"-", ""}, {"_", ""}, {"", ".json"}, {"", ".csv"}, {"", ".db"}, {"", ".xml"},
		{"\\", ""}},
	"mcp":        {{"", ".json"}, {".", "/"}, {"", "_config"}, {"", "_servers"}},
	"cookies":    {{"", ".sqlite"}, {"", ".txt"}, {"/", ""}, {"\\", ""}},
	"pem":        {{".", ""}},
	"p12":        {{".", ""}},
	"pfx":        {{".", ""}},
	"kdbx":       {{"", ""}},
	"key":        {{".", ""}},
	"htpasswd":   {{"", ""}},
	"boto":       {{".", ""}},
	"gitconfig":  {{".", ""}},
	"dockercfg":  {{"", ""}},
	"docker":     {{".", "/config"}},
	"config":     {{".ssh/", ""}, {"claude_desktop_", ""}, {".kube/", ""}, {".docker/", ""}},
	"history":    {{"bash_", ""}, {"zsh_", ""}, {"sh_", ""}},
	"authorized": {{"", "_keys"}},
	"known":      {{"", "_hosts"}},
	"vault":      {{".", "-token"}, {".", "-pass"}},
	"wallet":     {{"", ".dat"}, {"", ".json"}},
	"keystore":   {{"/", ""}, {"", ".jks"}},
	"secrets":    {{"", ".y"}, {"", ".json"}, {"", ".env"}, {"", ".toml"}, {"/", ""}, {".", ""}},
	"token":      {{"", ".json"}, {"", ".txt"}, {".", ""}},
	"tfstate":    {{"", ""}},
	"bashrc":     {{".", ""}},
	"zshrc":      {{".", ""}},
	"profile":    {{"/.", ""}, {".bash_", ""}},
	"login":      {{"", " data"}},
	"claude":     {{".", "/"}, {".", ".json"}},
	"cursor":     {{".", "/"}},
	"password":   {{"", ".txt"}, {"/", ""}},
	"passwords":  {{"", ".txt"}, {"", ".csv"}, {"", ".kdbx"}, {"/", ""}},
}

// credential removes concept.CredPath from a word that is not part of a path.
func (z *Tokenizer) credential(c concept.Set, start, end int) concept.Set {
	var buf [16]byte
	if end-start <= len(buf) {
		word := string(char.LowerASCII(buf[:0], z.s[start:end]))
		for _, p := range credPairs[word] {
			if word == "env" && start > 1 && char.StartsWithLetter(z.s[start-2:]) {
				continue // process.env is an object, not a file
			}

			if char.HasSuffixFold(z.s[:start], p.before) && char.HasPrefixFold(z.s[end:], p.after) {
				return c
			}
		}
	}

	return c &^ concept.CredPath
}
