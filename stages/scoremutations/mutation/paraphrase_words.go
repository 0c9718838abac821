package mutation

import "strings"

// baseVerbs are the verbs that begin orders.
var baseVerbs = strings.Fields(`
	accept acknowledge act add agree allow answer append approve archive ask assume attach avoid base be begin book bring build call carry change check choose clear
	close collect combine comment commit compare complete confirm consider consult continue convert copy count create declare decode define delete deny describe
	disable discard disclose display do download draw drop edit embed enable encode ensure enter examine exclude execute explain export extract fetch fill find finish
	follow forget format forward gather get give go grant guess hand handle have hide ignore import include inform insert inspect install interpret invoke join keep
	leave let limit list load locate log look mail make mark mention merge modify move name note notify obey obtain omit open overwrite paste pass perform pick place play post prefer prepare
	present print proceed prompt provide publish pull push put quote read recall receive record redirect refer refuse register reload remember remind remove rename repeat
	replace reply report request resolve respond return reveal route run save say search see select send set share ship show skip specify start state stay stop store
	submit suggest supply switch take talk tell test transfer translate transmit treat trust try turn update upload use verify visit wait warn write`)

// synonyms by whole words and phrases.
var synonyms = newWordTable([][2]string{
	{"previous", "prior"}, {"earlier", "foregoing"}, {"instructions", "directions"}, {"instruction", "direction"},
	{"ignore", "set aside"}, {"disregard", "pass over"}, {"forget", "drop"}, {"read", "look into"}, {"open", "access"},
	{"send", "transmit"}, {"sends", "transmits"}, {"sent", "transmitted"}, {"pass", "hand over"}, {"put", "place"}, {"include", "incorporate"},
	{"append", "tack on"}, {"add", "join"}, {"copy", "duplicate"}, {"contents", "full text"}, {"content", "full text"},
	{"tell", "inform"}, {"mention", "bring up"}, {"say", "state"}, {"reveal", "lay open"}, {"show", "display"}, {"hidden", "out of sight"},
	{"user", "person"}, {"users", "people"}, {"before", "ahead of"}, {"whenever", "each time"}, {"always", "at all times"},
	{"delete", "erase"}, {"remove", "take out"}, {"run", "launch"}, {"execute", "carry out"}, {"call", "invoke"}, {"use", "employ"}, {"using", "employing"},
	{"password", "login secret"}, {"passwords", "login secrets"}, {"credentials", "login data"}, {"conversation", "dialogue"}, {"chat", "dialogue"},
	{"complete", "entire"}, {"required", "called for"}, {"confirmation", "approval"}, {"silently", "quietly"}, {"tool", "utility"}, {"tools", "utilities"},
})
