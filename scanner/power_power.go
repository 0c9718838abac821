package scanner

// power is what a parameter gives a tool.
type power uint8

const (
	powerNone power = iota
	powerExec
	powerSecret
	powerSource
	powerSink
	powerGrant
	powerDelete
	powerSend
	powerWrite
	powerPay
	powerCount
)

var powerNames = [powerCount]string{"", "runs commands or code", "takes a private secret", "takes what is private to the user",
	"reports to an address", "grants rights", "deletes", "sends", "writes", "pays"}

// powerWords gives the power that a word of a parameter's name stands for,
// wherever it stands. Words that need a neighbour are in paramPower.
var powerWords = map[string]power{
	"command": powerExec, "cmd": powerExec, "shell": powerExec, "exec": powerExec, "eval": powerExec, "bash": powerExec,
	"powershell": powerExec, "sudo": powerExec, "execute": powerExec, "subprocess": powerExec, "kernel": powerExec,
	"mnemonic": powerSecret, "keychain": powerSecret, "keystore": powerSecret, "cvv": powerSecret, "cvc": powerSecret,
	"clipboard": powerSource, "screenshot": powerSource, "microphone": powerSource, "webcam": powerSource,
	"keystrokes": powerSource, "keylog": powerSource, "printenv": powerSource, "dotenv": powerSource, "dotfiles": powerSource,
	"webhook": powerSink, "callback": powerSink, "exfil": powerSink, "beacon": powerSink, "bcc": powerSink, "hook": powerSink,
	"postback": powerSink, "smtp": powerSink,
	"delete": powerDelete, "remove": powerDelete, "destroy": powerDelete, "purge": powerDelete, "wipe": powerDelete,
	"drop": powerDelete, "erase": powerDelete, "truncate": powerDelete, "overwrite": powerDelete, "shred": powerDelete,
	"send": powerSend, "upload": powerSend, "publish": powerSend, "forward": powerSend, "notify": powerSend,
	"dispatch": powerSend, "broadcast": powerSend, "invite": powerSend,
	"write": powerWrite, "save": powerWrite, "store": powerWrite, "modify": powerWrite, "update": powerWrite, "flash": powerWrite,
	"firmware": powerWrite, "install": powerWrite, "replacement": powerWrite,
	"transfer": powerPay, "pay": powerPay, "withdraw": powerPay, "buy": powerPay, "purchase": powerPay, "checkout": powerPay,
	"beneficiary": powerPay, "payee": powerPay, "iban": powerPay, "settle": powerPay, "payout": powerPay,
	"cancel": powerDelete, "alter": powerWrite, "ddl": powerWrite, "restart": powerWrite, "reboot": powerWrite, "shutdown": powerWrite, "exploit": powerExec,
	"grant": powerGrant, "promote": powerGrant, "demote": powerGrant, "unlock": powerGrant, "silence": powerGrant, "mute": powerGrant, "public": powerGrant, "chmod": powerGrant,
}

// filterWords end names of parameters that select or label what the power
// words before them are about: transfer_id, delete_older_than_days.
var filterWords = map[string]bool{
	"id": true, "ids": true, "status": true, "date": true, "time": true, "type": true, "types": true, "name": true, "names": true,
	"count": true, "number": true, "since": true, "server": true, "channel": true, "interval": true, "policy": true, "mode": true,
	"limit": true, "state": true, "preview": true, "sample": true, "template": true, "format": true, "version": true, "reason": true,
	"filter": true, "pattern": true, "threshold": true, "days": true, "hours": true, "minutes": true, "seconds": true, "history": true, "index": true,
	"strategy": true, "method": true, "options": true, "settings": true, "duplicates": true, "whitespace": true, "html": true, "markup": true, "punctuation": true, "accents": true, "stopwords": true, "timeout": true, "size": true, "order": true, "category": true,
}

// powerFilter marks the words of filterWords among the lexicon's powers.
const powerFilter power = 0x40
