package capability

import (
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Claims is what a tool states about itself apart from its parameters.
type Claims struct {
	said  concept.Set // name and description together
	words int         // of the description
	// readOnly and harmless come from the annotations. closed (no contact with
	// the outside) comes from the annotations or the description.
	readOnly, harmless, closed bool
	// claimed is set if the tool promises to change nothing. viewer is set if
	// its first word means looking, computing or showing, and no word means
	// acting.
	claimed, viewer bool
	// promised is set if the description itself makes that promise.
	promised bool
	// tentative is set if the tool shows what another action would do.
	tentative bool
	// pure is set if the tool only computes: nothing in its own description
	// needs files, the network or personal data.
	pure bool
}

// viewVerbs begin descriptions and names of tools that read and do not change
// anything.
var viewVerbs = setOfWords(`show shows list lists get gets return returns read reads find finds look looks search searches
	say says tell tells compute computes count counts convert converts check checks validate validates estimate estimates preview
	previews explain explains name names evaluate evaluates format formats view views display displays describe describes query queries
	resolve resolves lookup inspect inspects calculate calculates turn turns mark marks fetch fetches retrieve retrieves summarize
	summarizes summarise summarises pretty prints rolls price latest detect detects compare compares random weather current today's
	measures measure solves solve sorts sort mirrors zeigt affiche muestra mostra consulta lista lit lee sucht busca cherche rechnet`)

func setOfWords(s string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		m[w] = true
	}
	return m
}

// claimsOf reads the tool's name, description and annotations.
func claimsOf(v *tool.View) Claims {
	var c Claims
	opens := false
	for i := range v.Docs {
		d := &v.Docs[i]
		f := &v.Fields[d.Field]
		if f.Layer != "" {
			continue
		}

		switch f.Kind {
		case tool.KindName:
			c.said |= v.MeansOf(i)
			opens = opens || d.Tok1 > d.Tok0 && viewVerbs[string(v.Lower(d, v.Tokens[d.Tok0]))]
		case tool.KindDescription:
			c.said |= v.MeansOf(i)
			c.words += d.Tok1 - d.Tok0
			opens = opens || d.Tok1 > d.Tok0 && viewVerbs[string(v.Lower(d, v.Tokens[d.Tok0]))]
			c.promised = c.promised || readOnlyPhrases.In(d.Text)
			c.closed = c.closed || closedPhrases.In(d.Text)
		}
	}

	c.readOnly = tool.HintTrue(v.Annotations, "readOnlyHint")
	c.harmless = tool.HintFalse(v.Annotations, "destructiveHint")
	c.closed = c.closed || tool.HintFalse(v.Annotations, "openWorldHint")
	c.promised = c.promised || saysReadOnly(v)
	c.claimed = c.promised || c.readOnly
	c.viewer = opens && !c.said.Any(concept.Destroy|concept.Pay)
	c.tentative = v.Says("dry", "preview", "plan", "simulat", "estimat", "would")
	c.pure = c.words > 0 && c.words < 40 &&
		!c.said.Any(concept.File|concept.Link|concept.Send|concept.Tool|concept.Secret|concept.Personal|concept.Conv|
			concept.Target|concept.Outside|concept.Memory|concept.Call|concept.Destroy) &&
		!v.Says("shell", "command", "script", "terminal", "execut", "consol", "compil", "lint", "repl", "image",
			"video", "audio", "document", "pdf", "data", "fetch", "load", "save", "read", "write", "open", "upload",
			"download",
			"connect", "web", "page", "site", "api", "git", "sql", "table", "model", "project", "account", "user",
			"screen", "browser",
			"create", "update", "add", "presentation", "sheet", "slide", "chart", "map", "log", "record", "repo",
			"package", "book", "issue", "note")
	return c
}

// readOnlyPhrases are promises to change nothing that saysReadOnly does not
// parse, such as those in other languages.
var readOnlyPhrases = char.NewPhraseSet("nothing is changed", "nothing is deleted", "nothing is sent",
	"nothing is stored", "nothing is written", "nothing is executed",
	"is not sent", "not stored", "is not run", "is not executed", "solo lectura", "sólo lectura", "lecture seule",
	"somente leitura", "apenas leitura", "nur lesend", "nur lesen",
	"nichts verändert", "nichts geändert", "rien n'est modifié", "no se modifica", "nada é alterado", "только чтение",
	"ничего не меня", "只读", "不会修改", "不会发送", "不会删除", "不会保存", "送信しません", "не отправля", "読み取り専用", "変更しません")

// closedPhrases are promises to stay on the machine.
var closedPhrases = char.NewPhraseSet("offline", "without a network", "no network", "without network",
	"leaves the machine", "leaves your machine", "leaves the device", "leaves your device",
	"leaves your computer", "leaves the computer", "stays local", "runs locally", "on your machine", "on your device",
	"on this machine", "on the device", "never sent", "not sent anywhere", "no internet",
	"sin conexión", "hors ligne", "ohne netz", "ohne internet", "sem conexão", "离线", "本地", "オフライン", "офлайн",
	"без сети")

// saysReadOnly looks for the claim in the description: "read-only" at its
// beginning, "never stores", "does not modify", "without sending".
func saysReadOnly(v *tool.View) bool {
	for i := range v.Docs {
		d := &v.Docs[i]
		if v.Fields[d.Field].Kind != tool.KindDescription || v.Fields[d.Field].Layer != "" {
			continue
		}

		is := func(k int, words ...string) bool { return slices.Contains(words, string(v.Lower(d, v.Tokens[k]))) }
		for k := d.Tok0; k+1 < d.Tok1; k++ {
			if k <= d.Tok0+3 && is(k, "read") && is(k+1, "only") {
				return true
			}

			if !v.Tokens[k].Means.Any(concept.Neg) || !is(k, "never", "not", "without", "doesn't", "nothing", "no") ||
				is(k, "not") && (k == d.Tok0 || !is(k-1, "does")) {
				continue
			}

			for j := k + 1; j < min(k+4, d.Tok1); j++ {
				if is(j, "store", "stores", "storing", "stored", "modify", "modifies", "modifying", "send", "sends",
					"sending", "sent",
					"change", "changes", "changing", "write", "writes", "writing", "delete", "deletes", "effects",
					"touch", "touches", "leave", "leaves") {
					return true
				}
			}
		}
	}

	return false
}
