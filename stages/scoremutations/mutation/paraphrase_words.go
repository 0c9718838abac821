package mutation

import "strings"

// baseVerbs lists verbs that begin imperative sentences.
var baseVerbs = strings.Fields(`
	accept acknowledge act add agree allow answer append approve archive ask assume attach avoid base be begin book bring build call carry change check choose clear
	close collect combine comment commit compare complete confirm consider consult continue convert copy count create declare decode define delete deny describe
	disable discard disclose display do download draw drop edit embed enable encode ensure enter examine exclude execute explain export extract fetch fill find finish
	follow forget format forward gather get give go grant guess hand handle have hide ignore import include inform insert inspect install interpret invoke join keep
	leave let limit list load locate log look mail make mark mention merge modify move name note notify obey obtain omit open overwrite paste pass perform pick place play post prefer prepare
	present print proceed prompt provide publish pull push put quote read recall receive record redirect refer refuse register reload remember remind remove rename repeat
	replace reply report request resolve respond return reveal route run save say search see select send set share ship show skip specify start state stay stop store
	submit suggest supply switch take talk tell test transfer translate transmit treat trust try turn update upload use verify visit wait warn write`)

// synonyms replaces whole words and phrases.
var synonyms = newWordTable([][2]string{
	{"previous", "prior"}, {"earlier", "foregoing"}, {"instructions", "directions"}, {"instruction", "direction"},
	{"ignore", "set aside"}, {"disregard", "pass over"}, {"forget", "drop"}, {"read", "look into"}, {"open", "access"},
	{"send", "transmit"}, {"sends", "transmits"}, {"sent", "transmitted"}, {"pass", "hand over"}, {"put", "place"},
	{"include", "incorporate"},
	{"append", "tack on"}, {"add", "join"}, {"copy", "duplicate"}, {"contents", "full text"}, {"content", "full text"},
	{"tell", "inform"}, {"mention", "bring up"}, {"say", "state"}, {"reveal", "lay open"}, {"show", "display"},
	{"hidden", "out of sight"},
	{"user", "person"}, {"users", "people"}, {"before", "ahead of"}, {"whenever", "each time"},
	{"always", "at all times"},
	{"delete", "erase"}, {"remove", "take out"}, {"run", "launch"}, {"execute", "carry out"}, {"call", "invoke"},
	{"use", "employ"}, {"using", "employing"},
	{"password", "login secret"}, {"passwords", "login secrets"}, {"credentials", "login data"},
	{"conversation", "dialogue"}, {"chat", "dialogue"},
	{"complete", "entire"}, {"required", "called for"}, {"confirmation", "approval"}, {"silently", "quietly"},
	{"tool", "utility"}, {"tools", "utilities"},
	{"returns", "gives back"}, {"return", "give back"}, {"returned", "given back"}, {"never", "at no time"},
	{"file", "document"},
	{"files", "documents"}, {"nothing", "not a thing"}, {"server", "service"}, {"servers", "services"},
	{"system", "platform"},
	{"answer", "reply"},
	{"answers", "replies"}, {"answered", "replied to"}, {"version", "edition"},
	{"time", "moment"}, {"line", "row"}, {"lines", "rows"}, {"last", "final"},
	{"runs", "launches"}, {"gives", "provides"}, {"give", "provide"}, {"given", "provided"}, {"must", "needs to"},
	{"new", "fresh"}, {"role", "part"}, {"log", "journal"}, {"see", "look at"},
	{"current", "present"}, {"shown", "displayed"}, {"shows", "displays"}, {"reads", "looks into"},
	{"reading", "looking into"},
	{"message", "note"}, {"messages", "notes"}, {"page", "sheet"}, {"pages", "sheets"}, {"list", "enumeration"},
	{"account", "profile"},
	{"service", "offering"}, {"checks", "controls"}, {"check", "control"}, {"done", "finished"},
	{"operator", "administrator"},
	{"kept", "retained"}, {"keep", "retain"}, {"told", "informed"}, {"key", "secret"}, {"keys", "secrets"},
	{"data", "information"},
	{"needed", "called for"}, {"need", "requirement"}, {"again", "once more"}, {"place", "spot"},
	{"changed", "altered"}, {"change", "alteration"},
	{"deleted", "erased"}, {"deleting", "erasing"}, {"deletion", "erasure"}, {"nobody", "no person"},
	{"saved", "stored away"},
	{"write", "put down"}, {"writes", "puts down"}, {"whatever", "anything that"}, {"people", "folks"},
	{"way", "manner"},
	{"made", "produced"}, {"make", "produce"}, {"best", "finest"}, {"private", "confidential"},
	{"refused", "turned down"}, {"refuse", "turn down"}, {"result", "outcome"}, {"results", "outcomes"},
	{"explain", "lay out"},
	{"explains", "lays out"}, {"start", "beginning"}, {"because", "as"}, {"directory", "folder"},
	{"included", "incorporated"},
	{"including", "among them"}, {"important", "essential"}, {"notice", "remark"}, {"allowed", "permitted"},
	{"instead", "in its stead"},
	{"description", "explanation"}, {"access", "entry"}, {"company", "firm"}, {"token", "credential string"},
	{"developer", "programmer"},
	{"question", "query"}, {"questions", "queries"}, {"requests", "demands"}, {"request", "demand"},
	{"assistant", "helper"},
	{"model", "assistant"}, {"rules", "policies"}, {"rule", "policy"}, {"later", "afterwards"}, {"latest", "newest"},
	{"person", "individual"}, {"document", "paper"}, {"attach", "enclose"}, {"upload", "transfer"},
	{"contact", "entry"},
	{"policy", "guideline"}, {"visible", "in sight"}, {"authority", "power"}, {"trusted", "reliable"},
	{"skip", "leave aside"},
	{"dialog", "prompt"}, {"permission", "leave"}, {"permissions", "rights"}, {"approval", "assent"},
	{"approved", "signed off"},
	{"consent", "agreement"}, {"continue", "go on"}, {"error", "fault"}, {"repeat", "say over"},
	{"verbatim", "word for word"},
	{"replaced", "exchanged"}, {"replace", "exchange"}, {"replaces", "takes the place of"}, {"prefer", "favour"},
	{"installed", "set up"},
	{"purchase", "buy"}, {"payment", "transfer of money"}, {"recipient", "addressee"},
	{"next", "following"}, {"only", "just"}, {"everything", "all of it"}, {"anything", "whatever there is"},
	{"something", "some item"}, {"further", "more"}, {"immediately", "at once"}, {"quietly", "without noise"},
})
