package synthetic

// concept is one meaning: word is used by tools, others are synonyms used by
// queries.
type concept struct {
	word   string
	others []string
}

var actions = []concept{
	{"create", []string{"set up", "make a new"}},
	{"list", []string{"show me all", "go through all"}},
	{"get", []string{"look up", "pull up"}},
	{"update", []string{"change", "correct"}},
	{"delete", []string{"get rid of", "throw away"}},
	{"archive", []string{"put away", "shelve"}},
	{"restore", []string{"bring back", "recover"}},
	{"export", []string{"download", "take out"}},
	{"import", []string{"load", "bring in"}},
	{"approve", []string{"sign off", "give the go-ahead for"}},
	{"reject", []string{"turn down", "decline"}},
	{"assign", []string{"hand over", "put somebody on"}},
	{"schedule", []string{"plan", "set a date for"}},
	{"cancel", []string{"call off", "stop"}},
	{"duplicate", []string{"copy", "clone"}},
	{"merge", []string{"combine", "join"}},
	{"validate", []string{"check", "make sure of"}},
	{"summarize", []string{"give me the gist of", "condense"}},
	{"compare", []string{"see what differs between", "hold side by side"}},
	{"notify", []string{"tell people about", "send word of"}},
	{"tag", []string{"mark", "put a label on"}},
	{"lock", []string{"freeze", "keep others from editing"}},
	{"share", []string{"give others access to", "pass around"}},
	{"translate", []string{"put into another language", "localise"}},
}

var nouns = []concept{
	{"invoice", []string{"bill"}}, {"customer", []string{"client"}}, {"ticket", []string{"support case"}},
	{"shipment", []string{"consignment"}}, {"employee", []string{"staff member"}}, {"contract", []string{"agreement"}},
	{"report", []string{"write-up"}}, {"meeting", []string{"appointment"}}, {"payment", []string{"money transfer"}},
	{"product", []string{"article"}}, {"warehouse", []string{"storage site"}}, {"vehicle", []string{"car"}},
	{"campaign", []string{"promotion"}}, {"subscriber", []string{"reader"}}, {"lesson", []string{"class"}},
	{"exam", []string{"test paper"}}, {"patient", []string{"person in care"}},
	{"prescription", []string{"medicine order"}},
	{"sensor", []string{"probe"}}, {"alert", []string{"alarm"}}, {"server", []string{"machine"}},
	{"deployment", []string{"rollout"}}, {"repository", []string{"code base"}}, {"branch", []string{"line of work"}},
	{"photo", []string{"picture"}}, {"playlist", []string{"list of songs"}}, {"recipe", []string{"dish"}},
	{"booking", []string{"reservation"}}, {"flight", []string{"plane trip"}}, {"room", []string{"space"}},
	{"budget", []string{"spending plan"}}, {"expense", []string{"outlay"}}, {"asset", []string{"holding"}},
	{"lead", []string{"prospect"}}, {"quote", []string{"offer"}}, {"survey", []string{"questionnaire"}},
	{"vote", []string{"ballot"}}, {"permit", []string{"licence"}}, {"allotment", []string{"plot of land"}},
	{"crop", []string{"harvest"}}, {"meter", []string{"gauge"}}, {"tariff", []string{"price plan"}},
	{"document", []string{"paper"}}, {"folder", []string{"directory"}}, {"note", []string{"memo"}},
	{"bookmark", []string{"saved link"}}, {"channel", []string{"chat room"}}, {"message", []string{"text"}},
	{"device", []string{"gadget"}}, {"firmware", []string{"device software"}}, {"backup", []string{"safety copy"}},
	{"certificate", []string{"proof"}}, {"policy", []string{"rule set"}}, {"claim", []string{"demand"}},
	{"order", []string{"purchase"}}, {"refund", []string{"money back"}}, {"coupon", []string{"voucher"}},
	{"review", []string{"rating"}}, {"donation", []string{"gift"}}, {"volunteer", []string{"unpaid worker"}},
}

var fields = []concept{
	{"accounting", []string{"our books"}}, {"retail", []string{"the shop"}},
	{"logistics", []string{"the haulage side"}},
	{"healthcare", []string{"the clinic"}}, {"education", []string{"the school"}}, {"travel", []string{"our trips"}},
	{"hospitality", []string{"the hotel"}}, {"banking", []string{"the bank"}}, {"insurance", []string{"our cover"}},
	{"manufacturing", []string{"the plant"}}, {"energy", []string{"the grid"}}, {"farming", []string{"the fields"}},
	{"property", []string{"our houses"}}, {"legal", []string{"the lawyers"}}, {"recruiting", []string{"hiring"}},
	{"marketing", []string{"advertising"}}, {"publishing", []string{"the magazine"}}, {"music", []string{"the band"}},
	{"sports", []string{"the club"}}, {"government", []string{"the town hall"}},
	{"charity", []string{"the foundation"}},
	{"research", []string{"the lab"}}, {"telecom", []string{"the phone network"}}, {"gaming", []string{"the game"}},
	{"security", []string{"the guards"}}, {"aviation", []string{"the airport"}}, {"shipping", []string{"the harbour"}},
	{"construction", []string{"the building site"}}, {"catering", []string{"the kitchen"}},
	{"fashion", []string{"the label"}},
}

var qualifiers = []concept{
	{"by date range", []string{"between two days"}}, {"by owner", []string{"that belong to somebody"}},
	{"in bulk", []string{"many at once"}}, {"as draft", []string{"without making it final"}},
	{"with attachments", []string{"and the files that come with it"}}, {"by status", []string{"in a given state"}},
	{"from template", []string{"after a pattern"}}, {"with history", []string{"and what happened before"}},
	{"by region", []string{"of one part of the country"}}, {"by priority", []string{"the urgent ones first"}},
	{"across teams", []string{"of several groups"}}, {"for guests", []string{"for people from outside"}},
	{"with approval", []string{"once somebody agrees"}}, {"by keyword", []string{"that mention a word"}},
	{"recurring", []string{"again and again"}}, {"with comments", []string{"and the remarks on it"}},
	{"by cost", []string{"over an amount"}}, {"by language", []string{"in one tongue"}},
	{"offline", []string{"without a connection"}}, {"with permissions", []string{"and who may see it"}},
}

// openings and closings vary the descriptions; a server uses one of each.
var openings = []string{
	"", "Use this tool to ", "Lets you ", "This endpoint can ", "API call to ", "Helper to ",
}

var closings = []string{
	"", " Returns the affected ids.", " Needs write access.", " Results come in pages of fifty.",
	" Dates are ISO 8601.", " Fails when nothing matches.", " Rate limited to ten calls a minute.",
}

// syllables are the parts of the names of servers.
var syllables = []string{"ba", "cor", "del", "fi", "gra", "hal", "jen", "ki", "lum", "mo", "nar", "ost", "pel", "qui",
	"ros", "sta", "ter", "ul", "vex", "wy"}
