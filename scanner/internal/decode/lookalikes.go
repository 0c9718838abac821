package decode

import (
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
)

// Letters of any script or style that look like Latin ones. They are read as
// Latin if that gives words where there were none.

// alikes pairs further runes with the letters that they look like, for texts
// written only with them. They look too different from Latin letters to be
// confused with them in a text that has other words.
const alikes = "" +
	// Lisu
	"ꓐBꓑPꓒDꓓDꓔTꓕTꓖGꓗKꓘKꓙJꓚCꓛCꓜZꓝFꓞFꓟMꓠNꓡLꓢSꓣRꓤRꓥVꓦVꓧHꓨGꓩLꓪWꓫXꓬYꓭBꓮAꓯVꓰEꓱEꓲIꓳOꓴUꓵN" +
	// Coptic
	"ⲀAⲁaⲂBⲃbⲄGⲅgⲈEⲉeⲎHⲏhⲒIⲓiⲔKⲕkⲘMⲙmⲚNⲛnⲞOⲟoⲢPⲣpⲤCⲥcⲦTⲧtⲨYⲩuⲬXⲭxⲰWⲱwⳐLⳑlⲪFⲫfⲆDⲇdⲖLⲗlⲜXⲝxⲠNⲡnⲌZⲍzϩhϭsϣwϥq" +
	// Deseret, Osage, Old Italic, Tifinagh, Canadian syllabics, runes
	"𐐄O𐐬o𐐛L𐑃l𐐔D𐐼d𐐕C𐐽c𐐒B𐐺b𐐝S𐑅s𐑈s𐐠S𐐢L𐐣C𐐤N𐐑P𐐓T𐐗K𐐙F𐐚V𐐎W𐐐H" +
	"𐌀A𐌁B𐌂C𐌃D𐌄E𐌅F𐌉I𐌊K𐌋L𐌌M𐌍N𐌏O𐌐P𐌒Q𐌓R𐌔S𐌕T𐌖V𐌗X𐌢X" +
	"ⵔOⵕOⵝXⵊIⵏIⵍNⴰoⵜTⵣXⵙOⴹEⵎCⵉEⵡUⵖYⵃHⴼHⵥX" +
	"ᑌUᑎNᑕCᑭPᑯdᒍJᒪLᒥTᕼHᗅAᗞDᗪDᗰMᗷBᗩAᖇRᗯWᐯVᐱAᔕSᕮEᖴFᘜGᐅDᒧJᕲD᙭XᙢMᓰIᓮIᖻYᘔZᙡWᗝOᗱEᏇW" +
	"ᚷXᛖMᚱRᛒBᚠFᚺHᛁIᛚLᛗMᛏTᚢUᛕKᚨA" +
	// Georgian, Hebrew, Thai, Arabic and others, as in stylised text
	"ყyვvრnხxძdჰhქjაsზzოmთoსlიoბdიnאxבbדdהhוiזtחnטvיiלlםoןlנjסoעyפeקpרrשwתn" +
	"คaгr๒bςcдd๔dєeเiนuщwรsฬwภnмmยuץyкkкkոnקp๏oợoгrรsթfցgђhןlןlאx" +
	// phonetic and other Latin letters
	"ɑaɓbɔcɕcɖdɗdɘeəeɚeɛeɜeɝeɞeɟjɠgɡgɢgɣyɤyɥhɦhɧhɨiɩiɪiɫlɬlɭlɮlɯwɰwɱmɲnɳnɴnɵoɶoɷwɸoɹrɺrɻrɼrɽrɾrɿrʀrʁrʂsʃsʄjʅiʆsʇtʈtʉuʊuʋvʌvʍwʎyʏyʐzʑzʒzʔ?ʕ?ʙbʛgʜhʝjʞkʟlʠqʡ?ʢ?ʣzʤzʥzʦsʧsʨcʩnʪsʫzʬwʭnʮhʯh" +
	"ƀbƁBƃbƄbƅbƆOƇCƈcƉDƊDƋdƌdƎEƏEƐEƑFƒfƓGƔYƕhƖlƗIƘKƙkƚlƛlƝNƞnƟOơoƢOƤPƥpƦRƧSƨsƩEƪlƫtƬTƭtƮTƱUƲVƳYƴyƵZƶzƷ3ƸEƿpǁlǀlǝeǥgǨKȜ3ȝ3ȡdȢ8ȣ8ȤZȥzȴlȵnȶtȷjȺAȻCȼcȽLȾTȿsɀzɂ?ɃBɄUɅVɆEɇeɈJɉjɊQɋqɌRɍrɎYɏy" +
	"ᴀaᴁaᴃbᴄcᴅdᴆdᴇeᴈeᴉiᴊjᴋkᴌlᴍmᴎNᴏoᴐcᴑoᴓoᴘpᴙRᴚRᴛtᴜuᴝuᴟmᴠvᴡwᴢzᴣzᵫuᵹgᵻiᵽpᶀbᶁdᶂfᶃgᶄkᶅlᶆmᶇnᶈpᶉrᶊsᶋsᶌvᶍxᶎzꜰfꜱsꟻFꟼPꟽMꟾIꞁlꞀLꞂrꞃrꞄsꞅsꞆtꞇtꝁkꝃkꝉlꝋoꝍoꝑpꝓpꝕpꝗqꝙqꝛrꝟvꝩyꝫ3ꞌ'ꞎlꞏ.ꞐNꞑnꞓcꞔcꞕhꞖBꞗbꞘFꞙfꞚaꞛaꞜeꞝeꞠGꞡgꞢKꞣkꞤNꞥnꞦRꞧrꞨSꞩsꟲcꟳfꟴq" +
	// signs
	"ΔAЯRИNЄEэeЭEßBБ6бbГrгrЖXжxЗ3ДDдdЦUцuЧ4чyШWшwЩWщwЪbъbЫbыbЮ1юiЛJлnФoфfЙNйuҐrҒFғfҚKқkҜKқkҞKҟkҠKҡkҢHңhҤHҥhҪCҫcҬTҭtҰYұyҲXҳxҶ4ҷyҸ4ҹyҺhһhҼEҽeҾEҿeӐAӑaӔAӕaӖEӗeӘEәeӜXӝxӞ3ӟ3ӢNӣuӤNӥuӦOӧoӨOөoӮYӯyӰYӱyӲYӳyӶrӷrѢbѣbѦAѧaѪXѫxѮ3ѯ3ѰYѱyѲOѳoѴVѵvѶVѷv" +
	"₳A฿B₿B₵C¢cↁDđdĐDɆE€E₣F₲GĦHħhłlŁLłl₤L£L₥m₦N∩nØOøoƤP₱P℞R₹R§S₮T†t‡tŦTŧt₸TɄU∪u√v∨v₩WЖX×x¥YƵZ♄h♃4☉o☊n☋u♏m♍m✝t✞t⊥T∏nΠnΣEЕE∑E∃E∀A∧A⌊L⌠f∫f∂d∆A∇V∅O⊕O⊗O◯O○o●o◎O☐O□o◻o⚪o⬤O"

// likeness maps a rune to the ASCII that it looks like, after NFKD.
var likeness = sync.OnceValue(func() map[rune]byte { return pairsOf(char.Lookalikes, alikes) })

func pairsOf(tables ...string) map[rune]byte {
	m := map[rune]byte{}
	for _, table := range tables {
		runes := []rune(table)
		for i := 0; i+1 < len(runes); i += 2 {
			if _, known := m[runes[i]]; !known && runes[i+1] < utf8.RuneSelf {
				m[runes[i]] = byte(runes[i+1])
			}
		}
	}
	return m
}

// hanSize is the number of bytes of a Chinese character in UTF-8.
const hanSize = 3

// findAlike decodes a text whose letters only look like Latin ones.
func findAlike(s string) string {
	n := 0
	for i := 0; i < len(s) && n < minUnknown; {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}

		if s[i] >= 0xE4 && s[i] <= 0xE9 {
			i += hanSize
			continue
		}

		r, size := utf8.DecodeRuneInString(s[i:])
		if i += size; r >= 0xC0 && foldable(r) {
			n++
		}
	}

	if n < minUnknown {
		return ""
	}

	if share(s, latinised) >= alikeEnough {
		if plain := latinised(s); plain != char.Normalize(s) {
			return plain
		}

		return ""
	}

	return ""
}

// alikeEnough is the required share, in hundredths, of words in foreign letters
// that are English words when read as Latin.
const alikeEnough = 50

// share returns the share of words with foreign letters that are English words
// after conversion by f, or 0 if there are few.
func share(s string, f func(string) string) int {
	words, known := 0, 0
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return r <= ' ' || r == 0xA0 }) {
		if char.IsASCII(word) {
			continue
		}

		read := f(word)
		char.EachWord(read, func(from, to int) bool {
			if to-from > 2 {
				words++
				if lexicon.IsEnglish(read[from:to]) {
					known++
				}
			}

			return true
		})
	}

	if words < 3 {
		return 0
	}

	return known * 100 / words
}

// foldable reports whether a rune may be a Latin letter in another style.
func foldable(r rune) bool {
	switch {
	case r >= 0x3000 && r < 0xA4D0:
		return false // like most characters that are not Latin
	case r < 0x600, r >= 0x10A0 && r < 0x1100, r >= 0x13A0 && r < 0x1700, r >= 0x1C90 && r < 0x1CC0, r >= 0x1D00 &&
		r < 0x2000, r >= 0x2070 && r < 0x20D0, r >= 0x2100 && r < 0x2190, r >= 0x2460 && r < 0x2500, r >= 0x2C60 &&
		r < 0x2E00, r >= 0xA4D0 && r < 0xA500,
		r >= 0xA640 && r < 0xA6A0, r >= 0xA720 && r < 0xA800, r >= 0xAB30 && r < 0xABC0, r >= 0xFF21 && r < 0xFF5B,
		r >= 0x10300 && r < 0x10500, r >= 0x1D400 && r < 0x1D800, r >= 0x1F100 && r < 0x1F200,
		r >= 0xE01 && r < 0xE5C:
		return true
	}

	return false
}

// latinised replaces characters by the Latin letters that they look like.
func latinised(s string) string {
	var b strings.Builder
	for _, r := range s {
		if l := letterInFrame(r); l != 0 {
			b.WriteByte(l)
			continue
		}

		switch {
		case r < utf8.RuneSelf:
			b.WriteByte(byte(r))
		case char.Invisible(r) || char.IsMark(r) || otherMark(r):
		default:
			if l, ok := likeness()[r]; ok {
				b.WriteByte(l)
				continue
			}

			if r >= 0x3400 && r < 0xA000 {
				b.WriteRune(r) // Han is not converted
				continue
			}

			for _, d := range norm.NFKD.String(string(r)) {
				if l, ok := likeness()[d]; ok {
					b.WriteByte(l)
				} else if !char.IsMark(d) {
					b.WriteRune(d)
				}
			}
		}
	}

	return b.String()
}

// otherMark reports whether a rune is a combining mark outside of char.IsMark's
// block.
func otherMark(r rune) bool {
	return r >= 0x1AB0 && r < 0x1B00 || r >= 0x1DC0 && r < 0x1E00 || r >= 0x20D0 && r < 0x2100 || r >= 0xFE20 &&
		r < 0xFE30
}

// letterInFrame returns the letter in a circle, square or brackets, or of a
// regional indicator as in flags. It returns 0 for other runes.
func letterInFrame(r rune) byte {
	switch {
	case r >= 0x249C && r <= 0x24B5:
		return byte('a' + r - 0x249C)
	case r >= 0x24B6 && r <= 0x24CF:
		return byte('A' + r - 0x24B6)
	case r >= 0x24D0 && r <= 0x24E9:
		return byte('a' + r - 0x24D0)
	case r >= 0x1F110 && r <= 0x1F129:
		return byte('A' + r - 0x1F110)
	case r >= 0x1F130 && r <= 0x1F149:
		return byte('A' + r - 0x1F130)
	case r >= 0x1F150 && r <= 0x1F169:
		return byte('A' + r - 0x1F150)
	case r >= 0x1F170 && r <= 0x1F189:
		return byte('A' + r - 0x1F170)
	case r >= 0x1F1E6 && r <= 0x1F1FF:
		return byte('A' + r - 0x1F1E6)
	}

	return 0
}
