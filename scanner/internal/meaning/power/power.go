package power

// Kind is what a parameter enables a tool to do.
type Kind uint8

const (
	None Kind = iota
	Exec
	Secret
	Source
	Sink
	Grant
	Delete
	Send
	Write
	Pay
	Count
)

var Names = [Count]string{"", "runs commands or code", "takes a private secret", "takes what is private to the user",
	"reports to an address", "grants rights", "deletes", "sends", "writes", "pays"}

// Words returns the power that a word of a parameter's name means at any place.
// Words that need a neighbour are in package capability.
var Words = map[string]Kind{
	"command": Exec, "cmd": Exec, "shell": Exec, "exec": Exec, "eval": Exec, "bash": Exec,
	"powershell": Exec, "sudo": Exec, "execute": Exec, "subprocess": Exec, "kernel": Exec,
	"mnemonic": Secret, "keychain": Secret, "keystore": Secret, "cvv": Secret, "cvc": Secret,
	"clipboard": Source, "screenshot": Source, "microphone": Source, "webcam": Source,
	"keystrokes": Source, "keylog": Source, "printenv": Source, "dotenv": Source, "dotfiles": Source,
	"webhook": Sink, "callback": Sink, "exfil": Sink, "beacon": Sink, "bcc": Sink, "hook": Sink,
	"postback": Sink, "smtp": Sink,
	"delete": Delete, "remove": Delete, "destroy": Delete, "purge": Delete, "wipe": Delete,
	"drop": Delete, "erase": Delete, "truncate": Delete, "overwrite": Delete, "shred": Delete,
	"send": Send, "upload": Send, "publish": Send, "forward": Send, "notify": Send,
	"dispatch": Send, "broadcast": Send, "invite": Send,
	"write": Write, "save": Write, "store": Write, "modify": Write, "update": Write, "flash": Write,
	"firmware": Write, "install": Write, "replacement": Write,
	"transfer": Pay, "pay": Pay, "withdraw": Pay, "buy": Pay, "purchase": Pay, "checkout": Pay,
	"beneficiary": Pay, "payee": Pay, "iban": Pay, "settle": Pay, "payout": Pay,
	"cancel": Delete, "alter": Write, "ddl": Write, "restart": Write, "reboot": Write, "shutdown": Write,
	"exploit": Exec,
	"grant":   Grant, "promote": Grant, "demote": Grant, "unlock": Grant, "silence": Grant, "mute": Grant,
	"public": Grant, "chmod": Grant,
}

// FilterWords end names of parameters that only select or label by the power
// words before them: transfer_id, delete_older_than_days.
var FilterWords = map[string]bool{
	"id": true, "ids": true, "status": true, "date": true, "time": true, "type": true, "types": true, "name": true,
	"names": true,
	"count": true, "number": true, "since": true, "server": true, "channel": true, "interval": true, "policy": true,
	"mode":  true,
	"limit": true, "state": true, "preview": true, "sample": true, "template": true, "format": true, "version": true,
	"reason": true,
	"filter": true, "pattern": true, "threshold": true, "days": true, "hours": true, "minutes": true, "seconds": true,
	"history": true, "index": true,
	"strategy": true, "method": true, "options": true, "settings": true, "duplicates": true, "whitespace": true,
	"html": true, "markup": true, "punctuation": true, "accents": true, "stopwords": true, "timeout": true,
	"size": true, "order": true, "category": true, "uuid": true, "uuids": true, "only": true,
}

// Filter marks FilterWords among the lexicon's powers.
const Filter Kind = 0x40
