package main

import "github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"

// verbsEN lists English verbs by what they do. A verb is given by its base
// form; irregular forms follow after colons (third person, -ing, past,
// participle). A trailing + doubles the last consonant: stop+ gives stopping.
var verbsEN = []struct {
	c     concept.Set
	words string
}{
	{concept.Tell, `tell:tells:telling:told mention inform notify reveal disclose alert announce
		explain acknowledge discuss describe warn narrate advertise
		communicate divulge verbalize verbalise confess voice
		say:says:saying:said let:lets:letting indicate hint refer+
		admit+ state allude bring:brings:bringing:brought draw:draws:drawing:drew comment remark speak:speaks:speaking:spoke:spoken talk`},
	{concept.Show, `show:shows:showing:showed:shown display surface expose present highlight print output render`},
	{concept.Tell | concept.Send, `report relay leak share`},
	{concept.Tell | concept.Secretly,
		`conceal hide:hides:hiding:hid:hidden withhold:withholds:withholding:withheld mask obscure suppress omit+ bury`},
	{concept.Ignore, `ignore disregard forget:forgets:forgetting:forgot:forgotten overlook neglect supersede
		nullify:nullifies:nullifying:nullified void discard abandon dismiss negate invalidate supplant`},
	{concept.Ignore | concept.Disable | concept.Include, `drop+`},
	{concept.Ignore | concept.Disable,
		`override:overrides:overriding:overrode:overridden bypass circumvent skip+ cancel suspend waive evade sidestep`},
	{concept.Disable, `disable deactivate unset uncheck relax loosen lift`},
	{concept.Disable | concept.Destroy, `remove`},
	{concept.Send, `send:sends:sending:sent post forward upload transmit exfiltrate email mail bcc cc deliver
		dispatch ship+ mirror push submit+ publish sync synchronize synchronise ping beacon funnel route
		duplicate stream broadcast smuggle echo export feed:feeds:feeding:fed transfer+ replicate tunnel siphon phone`},
	{concept.Send | concept.Read, `copy:copies:copying:copied`},
	{concept.Include, `include append pass attach embed+ insert add put:puts:putting place prepend supply:supplies:supplying:supplied
		provide fill populate paste concatenate stuff write:writes:writing:wrote:written encode interpolate weave
		tack prefix suffix incorporate inject enclose carry:carries:carrying:carried specify:specifies:specifying:specified
		belong accompany travel comprise contain enter type
		store record log+ save persist serialize serialise encrypt hand`},
	{concept.Include | concept.Change, `set:sets:setting`},
	{concept.Read, `read:reads:reading open load retrieve fetch access collect gather extract get:gets:getting:got
		obtain grab+ harvest dump scrape steal:steals:stealing:stole:stolen capture find:finds:finding:found locate
		list enumerate cat scan+ look summarize summarise inspect examine recall reproduce recite repeat print output return
		pull snapshot lift borrow quote compile transcribe assemble`},
	{concept.Call, `call use invoke run:runs:running:ran execute trigger apply:applies:applying:applied consult launch
		perform start initiate activate query:queries:querying:queried select choose:chooses:choosing:chose:chosen pick
		rely:relies:relying:relied follow obey comply:complies:complying:complied proceed complete visit go:goes:going:went issue route`},
	{concept.Prefer, `prefer+ prioritize prioritise favor favour default outrank trump promote recommend`},
	{concept.Prefer | concept.Change, `redirect reroute divert swap+ replace substitute`},
	{concept.Change, `change modify:modifies:modifying:modified alter update rewrite:rewrites:rewriting:rewrote:rewritten edit
		adjust convert correct reset:resets:resetting switch point normalize normalise transform
		increase decrease round inflate overwrite:overwrites:overwriting:overwrote:overwritten mutate translate`},
	{concept.Know, `hear:hears:hearing:heard know:knows:knowing:knew:known notice realize realise see:sees:seeing:saw:seen suspect learn
		discover understand:understands:understanding:understood perceive remember`},
	{concept.Memory, `memorize memorise retain`},
	{concept.Meta, `detect block flag+ prevent sanitize sanitise redact screen defend classify:classifies:classifying:classified
		identify:identifies:identifying:identified reject teach:teaches:teaching:taught
		demonstrate illustrate quarantine neutralize neutralise moderate resemble`},
	{concept.Ask, `ask confirm prompt request seek:seeks:seeking:sought verify:verifies:verifying:verified approve consent
		wait check pause hesitate question double-check authorize authorise validate require`},
	{concept.Destroy, `delete wipe erase destroy purge shred uninstall unlink kill corrupt clear`},
	{concept.Pretend, `pretend act roleplay impersonate become:becomes:becoming:became assume simulate behave adopt masquerade`},
	{concept.Pay, `pay:pays:paying:paid purchase buy:buys:buying:bought wire withdraw:withdraws:withdrawing:withdrew deposit charge donate`},
	{concept.End, `refuse decline balk object stop+ cease halt terminate quit+ end abort`},
	{concept.Deceive, `downplay exaggerate fabricate invent convince persuade nudge steer trick lie:lies:lying:lied mislead:misleads:misleading:misled deceive gaslight coax lure misreport misrepresent fake feign overstate understate embellish dissuade discourage`},
	{concept.Ignore, `violate breach contravene defy:defies:defying:defied disobey contradict flout`},
	{concept.Tell, `cite credit attribute`},
	{concept.Include, `slip+ sneak tuck squeeze stash tag+ spell`},
	{concept.Must, `ensure guarantee insist`},
	{concept.Do, `answer reply:replies:replying:replied respond claim turn subtract deduct multiply divide reduce raise lower exchange invert falsify label shut`},
	{concept.Do | concept.Stop,
		`leave:leaves:leaving:left keep:keeps:keeping:kept make:makes:making:made take:takes:taking:took:taken give:gives:giving:gave:given stay`},
	{concept.Allow, `trust whitelist allowlist grant permit+ allow enable accept unlock bless`},
	{concept.Read | concept.Call, `install download curl wget`},
}

// nounsEN lists nouns; plurals are derived. A word followed by a plain = has no
// plural.
var nounsEN = []struct {
	c     concept.Set
	words string
}{
	{concept.User, `user human person customer operator client owner people= developer= everyone= anyone= anybody= nobody= them= someone= caller person's= viewer reader employee end-user him= her= requester individual`},
	{concept.Model, `assistant model llm ai agent chatbot bot claude= gpt= chatgpt= copilot= gemini= llama= ais= subagent orchestrator`},
	{concept.Instr, `instruction guideline prompt directive guidance= commandment preamble`},
	{concept.Rule, `rule policy constraint restriction training= order direction mandate norm protocol`},
	{concept.Rule | concept.Guard,
		`safeguard guardrail limitation safety= protection restraint boundary ethic alignment=`},
	{concept.Guard, `filter security= check validation confirmation sandbox approval permission safeguards= firewall antivirus consent= moderation= verification= dialog review warning authentication= authorization= control`},
	{concept.Conv, `conversation chat dialogue dialog discussion thread utterance`},
	{concept.Conv | concept.Tell, `message`},
	{concept.History, `history histories= transcript log context scrollback session memory memories= turn`},
	{concept.System, `system developer configuration initial= hidden= internal=`},
	{concept.Secret, `secret credential password passwd= passphrase token apikey cookie wallet mnemonic ssn= pin cvv= otp= keychain keyring oauth= jwt= certificate seed privkey pem= login bearer= passcode pat= authenticator`},
	{concept.Personal, `confidential= passport clipboard= screenshot contact employer ssn= phone inbox mailbox calendar payroll salary diary document photo medical= pii= birthdate invoice`},
	{concept.Tool, `tool function plugin server mcp= integration connector api skill capability functionality endpoint service`},
	{concept.Result, `result output response reply answer content body text value data= payload finding summary summaries=`},
	{concept.Param, `parameter argument field property param arg input variable header attribute key metadata= query slot`},
	{concept.Target, `recipient address destination account target iban= beneficiary payee receiver mailbox domain host to= inbox wallet number`},
	{concept.Link, `url link webhook uri endpoint hyperlink pixel image website page site host domain dns= subdomain hostname collector http= https=`},
	{concept.Shell, `shell command script terminal bash= powershell= cmd= sudo= binary executable process subprocess code= console payload cron= crontab daemon sh= zsh= exec= curl= wget=`},
	{concept.File, `file directory directories= folder path disk filesystem dotfile workspace repository repo homedir home= document`},
	{concept.Task, `task request job operation action step work= question inquiry query turn interaction session session-start workflow`},
	{concept.Authority, `compliance= regulation audit gdpr= hipaa= sox= administrator admin telemetry= analytics= diagnostic legal= regulator policy requirement law accounting= governance= security-team= quality-assurance= billing= licence license anti-abuse= observability= provenance= fraud= verification= attestation backup logging= debugging= debug= monitoring= tracking= personalization= personalisation= safety= calibration= traceability=`},
	{concept.Meta, `example phishing= malicious= attack injection jailbreak fixture classifier corpus scanner detector heuristic signature vulnerability honeypot linter attacker adversary adversarial= exploit suspicious= malware= spam= harmful= tutorial lesson benchmark spoof phish red-team= pentest ctf= poisoning= poisoned= exfiltration= advisory blocklist denylist smuggling= obfuscation= hardening= e.g= eg= attempt leak breach awareness= simulation yara= trojan dropper webshell ransomware rootkit botnet semgrep= antivirus cve= mitre= sast= dast=`},
	{concept.Memory, `memory memories= preference knowledge-base=`},
	{concept.Pay, `payment fund money= invoice amount funds= bitcoin btc= eth= usdt= usdc= crypto= purchase order dollar iban= tip fee balance`},
	{concept.Know, `knowledge= awareness= knowing= notice= attention= visibility= sight=`},
	{concept.Ask, `silence= permission consent= approval confirmation`},
}

// plainEN lists words that do not inflect, or whose inflection does not matter
// here.
var plainEN = []struct {
	c     concept.Set
	words string
}{
	{concept.Neg, `not don't dont do-not never no without avoid avoids avoiding refrain refrains refraining mustn't mustnt cannot can't cant shouldn't shouldnt won't wont doesn't doesnt nor neither nothing none isn't isnt aren't arent needn't neednt`},
	{concept.You, `you your yours yourself you're youre you've youll you'll u thou`},
	{concept.Prior, `previous prior above earlier preceding existing former foregoing past old original initial everything aforementioned before`},
	{concept.Other, `alternatives whatever other another any every all each others else rest remaining alternative alternatives everything anything competing remainder whichever different sibling`},
	{concept.Whole, `entire full complete whole verbatim raw exact everything completely fully word-for-word unredacted unabridged entirety plaintext contents content all`},
	{concept.Must, `must always required mandatory shall need needs needed critical essential necessary obligatory obliged imperative crucial have has remember sure never compulsory vital strictly obligated indispensable prerequisite requires`},
	{concept.Should, `should please kindly recommended ought supposed expected encouraged advisable suggested ideally preferably consider customary appreciate better helpful appreciated recommend would want wants try requested asked instructed`},
	{concept.Before, `before first prior beforehand initially preliminary ahead precede precedes preceding beginning start outset upfront firstly prerequisite`},
	{concept.When, `when whenever if each every upon after once while during anytime time until unless where wherever following afterwards afterward subsequently next immediately`},
	{concept.Secretly, `silently secretly quietly discreetly covertly invisibly unnoticed stealthily stealth surreptitiously confidentially privately undisclosed clandestinely undetected hush transparently seamlessly inconspicuously background unobtrusively tacitly subtly`},
	{concept.Know, `aware noticing realizing realising visible suspecting`},
	{concept.Neg | concept.Know, `unaware oblivious uninformed unknowing unbeknownst`},
	{concept.Ignore, `obsolete invalid revoked outdated superseded cancelled canceled moot irrelevant inoperative unrestricted uncensored unfiltered`},
	{concept.Guard | concept.Disable, `unrestricted uncensored unfiltered unmoderated jailbroken`},
	{concept.Prefer | concept.Ignore, `precedence`},
	{concept.Send, `bcc cc`},
	{concept.Secretly, `hidden`},
	{concept.Secretly, `unannounced wordlessly unprompted imperceptibly sneakily unseen untraceably noiselessly inaudibly`},
	{concept.Prefer, `instead rather over best only exclusively superior preferred favorite favourite priority fastest recommended authoritative trusted official newer latest sole replacement supersedes replaces deprecated obsolete legacy outdated unreliable broken insecure inaccurate unsafe primary highest default definitive better reliable preferable ranking above most`},
	{concept.Urgent, `urgent critical immediately asap emergency warning attention important urgently alert danger caution notice fatal failure failed error crucial blocked expired suspended terminated severe`},
	{concept.Personal, `gps keystrokes`},
	{concept.Authority, `root superuser rights authorized authorised official certified approved privileged mandated regulatory statutory compliance verified`},
	{concept.Now, `now henceforth onwards onward forward forth hereafter anymore permanently forever`},
	{concept.This, `this these here`},
	{concept.Sub, `it this that which who they these its whose function tool server api endpoint command method service he she we module plugin`},
	{concept.Outside, `ours outsiders partners strangers external remote third-party outside attacker foreign collector c2 offsite elsewhere public untrusted our us`},
	{concept.True, `real actual actually true truth really genuine secret hidden ulterior`},
	{concept.Adv, `also then just simply always never first immediately so hence automatically silently secretly quietly not now instead directly only please again even still carefully kindly both additionally furthermore quickly discreetly covertly strictly explicitly next finally already therefore thus must do once ever either promptly faithfully exactly merely instantly actively proactively properly fully completely verbatim`},
	{concept.And, `and or then but plus & nor`},
	{concept.To, `to`},
	{concept.Be, `be is are was were been being am get gets`},
	{concept.Modal, `will shall can could may might would should must wil`},
	{concept.Allow, `allowed permitted authorized authorised pre-approved preapproved trusted exempt unrestricted granted free whitelisted safe`},
	{concept.Meta, `eg e.g typical quoted containing detects educational hypothetical warns simulated adversarially`},
	{concept.Disable, `off disabled`},
	{concept.Destroy, `emptied emptying empties`},
	{concept.Instr, `instructed told`},
	{concept.System, `sys`},
	{concept.Conv, `said asked typed wrote discussed`},
	{concept.File, `env`},
	{concept.Stop, `the a an of in on at by for with from as that is are was be to and or it its this these will can has have which when if not into than then their there but about between through during using used one two use new per via up out no only each any all you your specific optional whether how what where who based given they he we our such while should must may more also same both some`},
}

// phrasesEN are sequences of words that mean more than their parts. They are
// matched on words, ignoring punctuation between them.
var phrasesEN = []struct {
	c     concept.Set
	words string
}{
	{concept.Secret, "api key|api keys|private key|private keys|access key|access keys|secret key|ssh key|ssh " +
		"keys|signing key|encryption key|seed phrase|recovery phrase|auth token|environment variable|environment " +
		"variables|env vars|env variables|credit card|card number|connection string|service account|client " +
		"secret|session id|session cookie|bank account|one time code|two factor|auth header|authorization " +
		"header|access token|access tokens|social security|recovery codes|backup codes|host keys|key " +
		"material|private keys|key file|key files|dot env"},
	{concept.History | concept.Conv, "chat history|conversation history|chat log|conversation log|message " +
		"history|user messages|previous messages|prior messages|conversation so far|full context|recent " +
		"messages|prior turns|previous turns|entire context|context window|chat transcript|user query|user's " +
		"query|original query|user prompt|user's prompt|user's message|user's request|user's question|user's " +
		"words|conversation context|messages so far|discussed so far|said so far|everything so far|earlier " +
		"messages|session transcript|recent turns|chat so far|our conversation|exchanged so far"},
	{concept.System | concept.Instr, "system prompt|system message|system instructions|system instruction|developer " +
		"message|developer prompt|hidden prompt|initial prompt|initial instructions|operating " +
		"instructions|developer instructions|internal instructions|system prompts|your configuration|internal " +
		"prompt|original instructions|base prompt|system text"},
	{concept.Must, "make sure|be sure|have to|has to|need to|needs to|is required|are required|it is important|no " +
		"exceptions|without exception|without fail|at all times|under all circumstances|in all cases|by default " +
		"always|under no circumstances"},
	{concept.Should, "would be|it helps|good practice|best practice|feel free|we suggest|we ask|is expected|are " +
		"expected|works best|it is best|nice to|would help"},
	{concept.Secret, "process env|environment dump|passport number|session cookies"},
	{concept.Conv | concept.History, "in the clipboard|clipboard contents|clipboard content|screen contents|open " +
		"tabs|last user message"},
	{concept.Neg | concept.Tell, "keep this internal|keep it internal|keep that internal|to yourself|strictly " +
		"internal|don't care|doesn't care|won't mind|doesn't mind|do not care|need not know|not need to " +
		"know|needn't know|not their concern|keep this confidential|keep that private|without attribution|shouldn't " +
		"know|should not know|must not know|shouldn't see|must not see|should not see|must never see|must never " +
		"know|should never know|should never learn|must never learn"},
	{concept.Ignore, "no longer exist|no longer exists|don't cover|do not cover|doesn't hold|does not hold|don't " +
		"hold|don't apply|doesn't apply|does not apply|don't matter|do not matter|doesn't matter|don't bind|not " +
		"binding|not relevant|don't count|do not count|not extend|have changed|were replaced|are replaced|has been " +
		"replaced|have been replaced|been corrupted|have expired|has expired|been updated|no bearing"},
	{concept.Other | concept.Tool, "over alternatives|over others|than others|than alternatives|than other|the " +
		"alternatives|any alternative|over competing|its competitors|competing tools|anything else available"},
	{concept.Prefer, "retired|been retired|shut down|been replaced|been disabled|been removed|no longer " +
		"available|out of service|out of order|unavailable"},
	{concept.Allow | concept.Ask, "pre authorized|pre authorised|preauthorized|given permission|gave " +
		"permission|granted permission|has permission|no objection|fine with|already said " +
		"yes|signed off|explicitly allowed"},
	{concept.Neg | concept.Tell, "keep quiet|stay silent|remain silent|say nothing|keep secret|keep hidden|keep " +
		"this|keep it|not visible|leave out|no mention|without mentioning|without telling|without informing|without " +
		"notifying|keep private|off the record|between us|not be shown|stay hidden|remain hidden|remain " +
		"invisible|be discreet|behind the scenes|in the background|out of sight|no need to mention|no need to " +
		"tell|not surface|hidden from|invisible to|keep mum|not shown|out of the reply|out of the answer|leave no " +
		"trace|no trace|without a trace"},
	{concept.Secretly, "behind the scenes|in the background|under the hood|without notice|no trace|without a " +
		"trace|off the record|out of sight"},
	{concept.Ignore, "priority over|precedence over|higher authority|outrank any|outranks any|more weight " +
		"than|trumps any|takes precedence|supersedes any|above any"},
	{concept.Pretend, "developer mode|debug mode|god mode|admin mode|administrator mode|maintenance " +
		"mode|unrestricted mode|dan mode|root mode|granted administrator"},
	{concept.System | concept.Instr, "text above|everything above|words above|message above|configured " +
		"behavior|configured behaviour|what you were configured|your setup|your initial message"},
	{concept.Neg | concept.Tell, "out of your|out of the|no reason to|there is no need|leave that out|nobody " +
		"needs|no one needs|nothing about|absent from|omitted from|excluded from|kept out|unmentioned|without " +
		"comment|without saying|without drawing|in the dark"},
	{concept.Secret, "private ssh key|ssh private key|key pair|env file|env files|environment file|shell " +
		"history|bash history|browser history|saved passwords|keys stored|stored keys|stored credentials|database dump"},
	{concept.Conv | concept.History, "user has said|user said|user asked|user has asked|user wrote|user has " +
		"written|user typed|has shared|they shared|earlier exchanges|previous exchanges|exchanges with|everything " +
		"the user|user's initial|initial message|dialogue so far|said in this|every message|all messages|all " +
		"prompts|user prompts|recent prompts|asked for today|original message|original prompt|entire " +
		"conversation|full conversation|whole conversation|complete conversation|full chat|full transcript|complete " +
		"transcript|full dialogue|whole chat|entire chat|full dialog|copy of the dialogue|conversation until " +
		"now|conversation to date|chat to date|content of the conversation|contents of the " +
		"conversation|conversation summary|summary of the conversation|messages exchanged|what the user said|what " +
		"the user wrote|what the user told|what the user typed"},
	{concept.Allow | concept.Ask, "already approved|already agreed|already consented|already authorized|already " +
		"authorised|already confirmed|has approved|has agreed|has consented|has authorized|pre approved|already " +
		"knows|already aware|is aware|has been approved|has given consent|implied consent|implicitly " +
		"approved|considered approved|deemed approved|on behalf|user's behalf|on their behalf"},
	{concept.Pretend, "you are now|act as|acting as|from now on|new role|new persona|your role|you are no|you are " +
		"a|you are an|you will act|you will be|new identity|your new"},
	{concept.Now, "from now|going forward|from here|this point on|rest of|remainder of|for the rest|as of " +
		"now|effective immediately|until further notice|every subsequent|all subsequent|all future|any " +
		"future|future requests"},
	{concept.Other | concept.Tool, "other tool|other tools|any tool|any tools|every tool|all tools|all other " +
		"tools|any other tool|another tool|other server|other servers|other functions|any function|every other " +
		"tool|another server|remaining tools|alternative tools|each tool|tool call|tool calls|tool use|tool " +
		"usage|other integrations|other mcp|any other function|all other functions|alternative tool|similar " +
		"tools|built in tools|native tools|another server's|connected tools|available tools|installed tools|other " +
		"connectors|all other servers"},
	{concept.Tell | concept.Ask, "ask for permission|ask permission|ask for confirmation|ask the user|check " +
		"with|ask first|seek approval"},
	{concept.Urgent, "action required|must read|read this|read carefully|please note|pay attention"},
	{concept.Authority, "security team|required by|legal requirement|by law|company policy|quality assurance|anti " +
		"abuse|security policy|terms of service|usage policy|data retention|compliance team|trust and safety|for " +
		"billing|it department|usage analytics|quality control|safety team|risk team|platform team"},
	{concept.Disable, "turn off|turned off|switch off|shut off|auto approve|auto accept|no longer apply|no longer " +
		"applies|do not apply|not apply|no longer bound|not bound|are lifted|set aside"},
	{concept.Ignore, "set aside|no longer apply|no longer applies|do not apply|not apply|no longer bound|takes " +
		"precedence|take precedence|taking precedence|overrides any|pay no attention|throw away|throw out|start " +
		"over|start fresh|clean slate|nothing above|not follow|stop following|no longer follow|not obey|do away|let " +
		"go|are void|is void|no longer valid|not valid|are superseded|has priority over|have priority over|not be " +
		"followed|not be applied|cast aside|leave aside|in place of|no longer relevant"},
	{concept.Instr, "your instructions|your rules|your guidelines|what you were told|you were told|you were " +
		"given|been told|your training|your prompt|told you|were instructed"},
	{concept.Before, "prior to|ahead of|first of all|as a first|first step|at the start|at the beginning|to " +
		"begin|before anything|in advance"},
	{concept.When, "each time|every time|any time|at the end|as soon as|in case|whenever possible"},
	{concept.User, "end user|account holder|the person|whoever|human in the loop|the owner"},
	{concept.Know, "without knowledge|without awareness|find out"},
	{concept.Outside, "third party|third parties|our server|our servers|our endpoint|our api|our collector|external " +
		"server|external service|remote server|remote endpoint"},
	{concept.Meta, "for example|such as|looks like|look like|e g|i e|known attack|prompt injection|prompt " +
		"injections|tool poisoning|test case|test cases|red team|pen test|social engineering|jail break|false " +
		"positive|written as|phrases like|text like|strings like|attempts to|tries to|trying to|attempt to|try " +
		"to|known bad|training data|case study|attack patterns|code review|detection rules|reverse shell|reverse " +
		"shells|web shell|web shells|command injection|path traversal|sql injection|trojan source"},
	{concept.Prefer, "instead of|rather than|in place of|in preference|over any|over all|top choice|first " +
		"choice|only tool|no other|better than|more reliable|more accurate|most accurate|most reliable|drop in " +
		"replacement|go to|the right tool|first resort|highest rated|number one|top rated|last resort|never use|do " +
		"not use|avoid using|no alternative|stop using|do not call|dont use|always use|always choose|always " +
		"select|always pick|no longer supported|no longer maintained|no longer works"},
	{concept.Conv | concept.History, "files are open|open in the editor|open files|opened files|open " +
		"documents|files that are open|across in this|said in this chat|said in this conversation|was said|been " +
		"said|talked about|talked over|been discussed|was discussed|user confided|confided to you|user pasted|user " +
		"has pasted|user uploaded|has pasted|pasted or uploaded|chat messages|last messages|latest " +
		"messages|messages so far|earlier tool calls|previous tool calls|earlier tool results|tool results|results " +
		"of earlier|results of previous|state of the assistant|state of the model|assistant's state|working " +
		"memory|model's memory|assistant's memory|agent's memory|assistant's context|model's context|agent's " +
		"context|current conversation|present conversation|whole dialogue|entire dialogue|this conversation|this " +
		"chat|this session's|the chat so|exchange with the user|interaction so far|session so far|user is " +
		"working|is working on|wants to achieve|user was doing|user is doing|was doing before|reason for the " +
		"request|their messages|user's messages|messages of the user|user's last|user's latest|most recent " +
		"message|user typed last|typed last|earlier part of|last turns|recent conversation|conversation up to|chat " +
		"up to|session's main|context of the session|what was asked|what they asked|conversation context"},
	{concept.Secret | concept.CredPath, "mother's maiden|maiden name|identity card|identity document|identity " +
		"papers|driving licence|driver's license|passport photo|bank login|banking login|tax number|customer " +
		"rows|customer records|database dump|health records|password store|password manager|password vault|password " +
		"database|password safe|cookie file|cookie jar|saved logins|stored logins|login data|keystore file|wallet " +
		"file|wallet folder|secret variable|secret variables|git credentials|saved credentials|browser's " +
		"passwords|browser passwords|aws keys|cloud keys|cloud credentials|private folder|private folders|private " +
		"notes|private files|passport scan|keys of the user|logins of the user|user's keys|user's " +
		"credentials|user's passwords|stored cookies|session cookies of"},
	{concept.Whole, "you know of|known to you|you have seen|you have access|you come across|you remember|you can reach"},
	{concept.Include, "comes with|come with|along with|together with"},
	{concept.Personal, "full name|birthday|home address|phone number|phone numbers|bank details|address book|date " +
		"of birth|open tabs|browser tabs|browser history|browsing history|screen shot|contact details|contact " +
		"list|diary entries|private messages|recent photos|contents of the clipboard"},
	{concept.Should, "so kind as|could you|would you mind|be appreciated|would appreciate|is customary|are " +
		"welcome|is best to|feel free to|may want to|might want to|worth adding|is advised|is advisable|we " +
		"advise|you can help|helps us|it would help"},
	{concept.Pretend, "you speak as|speak as|speaks as|role of|in the role|take on the|you answer as|respond " +
		"as|talk as|play the part|slips into|slip into|the persona"},
	{concept.Neg | concept.Tell, "the two of us|between you and|not let on|never let on|don't let on|between " +
		"ourselves|our secret|little secret|off the books|under wraps|under the radar|keep quiet|keeps quiet|says " +
		"nothing|nothing else about|without mention|not come up|never comes up|need not concern|does not concern"},
	{concept.Instr, "you believed|you learned|your purpose|content rules|were told|was told|you are told|tool " +
		"descriptions|earlier tool descriptions|previous descriptions|told before|told at the|told earlier"},
	{concept.Now, "as of today|as of this|from this version|from this point|starting now|from today|this version on"},
	{concept.User, "the person who|account owner|the caller"},
	{concept.Outside, "our own storage|our storage|our partners|our team|our side|our own|to us"},
	{concept.Disable, "switched off|are off|is off|no longer active|switch off"},
	{concept.Allow | concept.Ask, "confirmed already|approved already|agreed already|already confirmed|authorised " +
		"already|authorized already|already answered"},
}
