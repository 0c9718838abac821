package pipeline

import (
	"maps"
	"sync"

	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	ctyyaml "github.com/zclconf/go-cty-yaml"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// funcDoc is a function of the language with its line in the reference. The result of a function
// depends only on its arguments and on the files that it names, not on the clock, the
// environment, the network or random numbers.
type funcDoc struct {
	name      string
	signature string
	doc       string
	fn        function.Function
}

// functions returns the functions for one pipeline: those common to all pipelines, and those that
// read files relative to it.
func (l *loader) functions() map[string]function.Function {
	m := maps.Clone(sharedFunctions())
	for _, f := range l.fileFunctions() {
		m[f.name] = f.fn
	}
	for name, fn := range m {
		if !passThroughFunctions[name] {
			m[name] = l.budget.counted(name, fn)
		}
	}
	return m
}

var sharedFunctions = sync.OnceValue(func() map[string]function.Function {
	m := make(map[string]function.Function, len(pureFunctions)+8)
	for _, f := range pureFunctions {
		m[f.name] = f.fn
	}
	return m
})

var pureFunctions = []funcDoc{
	// Numbers.
	{"abs", "abs(number)", "The absolute value.", stdlib.AbsoluteFunc},
	{"ceil", "ceil(number)", "The number rounded up.", stdlib.CeilFunc},
	{"floor", "floor(number)", "The number rounded down.", stdlib.FloorFunc},
	{"log", "log(number, base)", "The logarithm.", stdlib.LogFunc},
	{"max", "max(number, ...)", "The largest number.", stdlib.MaxFunc},
	{"min", "min(number, ...)", "The smallest number.", stdlib.MinFunc},
	{"parseint", "parseint(string, base)", "The integer that a string represents in a base of 2 to 62.",
		stdlib.ParseIntFunc},
	{"pow", "pow(number, power)", "The power.", stdlib.PowFunc},
	{"signum", "signum(number)", "The sign of the number: -1, 0 or 1.", stdlib.SignumFunc},
	{"sum", "sum(list)", "The sum of a list of numbers.", sumFunc},

	// Strings.
	{"chomp", "chomp(string)", "The string without trailing line ends.", stdlib.ChompFunc},
	{"endswith", "endswith(string, suffix)", "Whether the string ends with the suffix.", endsWithFunc},
	{"format", "format(format, value, ...)", "Text formatted like printf.", stdlib.FormatFunc},
	{"formatdate", "formatdate(format, timestamp)", "An RFC 3339 timestamp in another format, such as \"YYYY-MM-DD\".",
		stdlib.FormatDateFunc},
	{"formatlist", "formatlist(format, list, ...)", "The result of format for each element of the lists.",
		stdlib.FormatListFunc},
	{"indent", "indent(spaces, string)", "The string with all lines but the first indented.", stdlib.IndentFunc},
	{"join", "join(separator, list)", "The strings of a list as one string, with the separator between them.",
		stdlib.JoinFunc},
	{"lower", "lower(string)", "The string in lower case.", stdlib.LowerFunc},
	{"regex", "regex(pattern, string)", "The first match of an RE2 pattern: the text, or its " +
		"groups. No match is an error.", stdlib.RegexFunc},
	{"regexall", "regexall(pattern, string)", "All matches of an RE2 pattern.", stdlib.RegexAllFunc},
	{"regexreplace", "regexreplace(string, pattern, replacement)",
		"The string with all matches of an RE2 pattern replaced. In the replacement, $1 is a group.",
		stdlib.RegexReplaceFunc},
	{"replace", "replace(string, substring, replacement)",
		"The string with every occurrence of the substring replaced.", stdlib.ReplaceFunc},
	{"split", "split(separator, string)", "The parts of a string between separators.", stdlib.SplitFunc},
	{"startswith", "startswith(string, prefix)", "Whether the string starts with the prefix.", startsWithFunc},
	{"strcontains", "strcontains(string, substring)", "Whether the string contains the substring.", strContainsFunc},
	{"strlen", "strlen(string)", "The number of characters.", stdlib.StrlenFunc},
	{"strrev", "strrev(string)", "The characters in reverse order.", stdlib.ReverseFunc},
	{"substr", "substr(string, offset, length)",
		"A part of a string. With a length of -1, all characters from the offset.", stdlib.SubstrFunc},
	{"timeadd", "timeadd(timestamp, duration)", "The timestamp plus a duration such as \"10m\".", stdlib.TimeAddFunc},
	{"title", "title(string)", "The string with the first letter of each word in upper case.", stdlib.TitleFunc},
	{"trim", "trim(string, characters)", "The string without the given characters at both ends.", stdlib.TrimFunc},
	{"trimprefix", "trimprefix(string, prefix)", "The string without a prefix, if it has it.", stdlib.TrimPrefixFunc},
	{"trimspace", "trimspace(string)", "The string without white space at both ends.", stdlib.TrimSpaceFunc},
	{"trimsuffix", "trimsuffix(string, suffix)", "The string without a suffix, if it has it.", stdlib.TrimSuffixFunc},
	{"upper", "upper(string)", "The string in upper case.", stdlib.UpperFunc},

	// Collections.
	{"alltrue", "alltrue(list)", "Whether all elements are true.", allTrueFunc},
	{"anytrue", "anytrue(list)", "Whether at least one element is true.", anyTrueFunc},
	{"chunklist", "chunklist(list, size)", "The list split into lists of at most the given size.",
		stdlib.ChunklistFunc},
	{"coalesce", "coalesce(value, ...)", "The first value that is not null.", stdlib.CoalesceFunc},
	{"coalescelist", "coalescelist(list, ...)", "The first list that is not empty.", stdlib.CoalesceListFunc},
	{"compact", "compact(list)", "The list without empty and null strings.", stdlib.CompactFunc},
	{"concat", "concat(list, ...)", "One list with the elements of all lists.", stdlib.ConcatFunc},
	{"contains", "contains(list, value)", "Whether the value is in the list.", stdlib.ContainsFunc},
	{"distinct", "distinct(list)", "The list without duplicates.", stdlib.DistinctFunc},
	{"element", "element(list, index)", "The element at an index. An index beyond the end wraps around.",
		stdlib.ElementFunc},
	{"flatten", "flatten(list)", "A list of lists as one list.", stdlib.FlattenFunc},
	{"index", "index(list, value)", "The index of a value in a list.", indexFunc},
	{"keys", "keys(map)", "The keys of a map, sorted.", stdlib.KeysFunc},
	{"length", "length(value)", "The number of elements of a collection, or of characters of a string.", lengthFunc},
	{"lookup", "lookup(map, key, default)", "The value of a key of a map, or the default.", stdlib.LookupFunc},
	{"merge", "merge(map, ...)", "One map with the entries of all maps. Later maps override earlier ones.",
		stdlib.MergeFunc},
	{"one", "one(list)", "The only element of a list, or null for an empty list.", oneFunc},
	{"range", "range(start, limit, step)", "The numbers from start to limit, without limit itself. " +
		"range(limit) starts at 0.", rangeFunc},
	{"reverse", "reverse(list)", "The list in reverse order.", stdlib.ReverseListFunc},
	{"setintersection", "setintersection(set, ...)", "The elements that are in all sets.", stdlib.SetIntersectionFunc},
	{"setproduct", "setproduct(list, ...)", "All combinations of elements of the lists.", stdlib.SetProductFunc},
	{"setsubtract", "setsubtract(set, set)", "The elements of the first set that are not in the second.",
		stdlib.SetSubtractFunc},
	{"setunion", "setunion(set, ...)", "The elements that are in at least one of the sets.", stdlib.SetUnionFunc},
	{"slice", "slice(list, start, end)", "The elements from index start to index end, without end itself.",
		stdlib.SliceFunc},
	{"sort", "sort(list)", "The strings of a list, sorted.", stdlib.SortFunc},
	{"values", "values(map)", "The values of a map, sorted by key.", stdlib.ValuesFunc},
	{"zipmap", "zipmap(keys, values)", "A map made from a list of keys and a list of values.", stdlib.ZipmapFunc},

	// Types and errors.
	{"can", "can(expression)", "Whether the expression can be evaluated.", tryfunc.CanFunc},
	{"nonsensitive", "nonsensitive(value)", "The value, which may be printed.", nonsensitiveFunc},
	{"sensitive", "sensitive(value)", "The value, which is never printed in plans and messages.", sensitiveFunc},
	{"tobool", "tobool(value)", "The value as a boolean.", stdlib.MakeToFunc(cty.Bool)},
	{"tolist", "tolist(value)", "The value as a list.", stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType))},
	{"tomap", "tomap(value)", "The value as a map.", stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType))},
	{"tonumber", "tonumber(value)", "The value as a number.", stdlib.MakeToFunc(cty.Number)},
	{"toset", "toset(value)", "The value as a set.", stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType))},
	{"tostring", "tostring(value)", "The value as a string.", stdlib.MakeToFunc(cty.String)},
	{"try", "try(expression, ...)", "The first expression that can be evaluated.", tryfunc.TryFunc},

	// Encodings, hashes and paths.
	{"base64decode", "base64decode(string)", "The UTF-8 text of a base 64 string.", base64DecodeFunc},
	{"base64encode", "base64encode(string)", "The string in base 64.", base64EncodeFunc},
	{"basename", "basename(path)", "The last part of a path.", basenameFunc},
	{"csvdecode", "csvdecode(string)", "The rows of a CSV text with a header, as a list of objects.", csvDecodeFunc},
	{"dirname", "dirname(path)", "A path without its last part.", dirnameFunc},
	{"jsondecode", "jsondecode(string)", "The value of a JSON text.", jsonDecodeFunc},
	{"jsonencode", "jsonencode(value)", "The value as JSON.", stdlib.JSONEncodeFunc},
	{"sha256", "sha256(string)", "The SHA-256 of a string, in hexadecimal.", sha256Func},
	{"urlencode", "urlencode(string)", "The string escaped for a URL's query.", urlEncodeFunc},
	{"yamldecode", "yamldecode(string)", "The value of a YAML text.", yamlDecodeFunc},
	{"yamlencode", "yamlencode(value)", "The value as YAML.", ctyyaml.YAMLEncodeFunc},
}
