# The settings of a run. Set them with --var NAME=VALUE. proxy.hcl declares the
# settings of your own proxy.

variable "data" {
  type        = string
  default     = ""
  description = "The tools and queries to run on: \"\" for those of this repository, or real for tools of real servers, which touchstone data fetch real reads."
  validation {
    condition     = contains(["", "real"], var.data)
    error_message = "Set data to real, or leave it out."
  }
  validation {
    condition     = var.data == "" || fileexists("datasets/corpus_real_v1.json")
    error_message = "The tools of data = \"real\" are not on this machine: their texts belong to others and are not in the repository. Run touchstone data fetch real."
  }
}

variable "corpus" {
  type        = string
  default     = null
  description = "The frozen tools that the proxy searches. The default is datasets/corpus_v2.json, or the corpus that data names."
}

variable "golden" {
  type        = string
  default     = null
  description = "The labelled queries over the corpus. The default is datasets/golden_v2.json, or the queries that data names."
}

variable "security" {
  type        = string
  default     = "datasets/security_v2.json"
  description = "The labelled tool definitions that detectors are scored on."
}

variable "cases" {
  type        = string
  default     = null
  description = "The tool-selection cases over the corpus; \"\" measures no selection. By default datasets/cases_vN.json, if it exists and the corpus is datasets/corpus_vN.json."
}

variable "baseline" {
  type        = string
  default     = null
  description = "The file with the reference metrics and the thresholds. The gate needs it. The default is datasets/baseline_vN.json for the reference proxy, and datasets/baseline_vN_NAME.json for other proxies; for data that data names, baseline_DATA_vN. Of several versions, the one with the most datasets of this run is chosen, and of those the newest."
}

variable "baseline_name" {
  type        = string
  default     = null
  description = "The NAME in the default of baseline; \"\" for none. By default none for the reference proxy, and otherwise the name of the adapter or of the binary."
}

variable "min_overlap" {
  type        = number
  default     = 0.5
  description = "With a baseline on other data: the smallest share of the queries, and of the security entries, that must be the same. Below it there is no verdict."
  validation {
    condition     = var.min_overlap >= 0 && var.min_overlap <= 1
    error_message = "Give min_overlap a share from 0 to 1."
  }
}

variable "edited_frozen" {
  type        = string
  default     = "report"
  description = "What happens to a dataset whose version is frozen with other bytes: report measures it and marks the verdict, refuse ends the run with exit code 4."
  validation {
    condition     = contains(["report", "refuse"], var.edited_frozen)
    error_message = "Set edited_frozen to report or refuse."
  }
}

variable "runs" {
  type        = number
  default     = 3
  description = "The number of runs of retrieval and detection, each in another order."
  validation {
    condition     = var.runs >= 1 && var.runs <= 100 && var.runs == floor(var.runs)
    error_message = "Set runs to a whole number from 1 to 100."
  }
}

variable "quick" {
  type        = bool
  default     = false
  description = "Measure less, for a first impression: one run, only the queries of the split dev, and no mutations. The reports say so, and the figures never become a baseline. touchstone gate --quick sets it."
}

variable "detectors" {
  type        = list(string)
  default     = null
  description = "The detectors that score-security scores besides those of the proxy: names listed by touchstone detector --help, and names of external_detectors. By default the detectors of Touchstone (scanner, unicode, directives, shadowing, keywords) for the reference proxy, which has them, and those of external_detectors for any proxy."
}

variable "external_detectors" {
  type        = map(object({ dir = string, command = list(string), entry_timeout = optional(string, "10s") }))
  default     = {}
  description = "Other detectors, by name. dir is the directory with all files of the detector. In command, {dir} stands for the path of that directory inside the stage. entry_timeout is the time limit for one entry."
  validation {
    condition     = alltrue([for d in values(var.external_detectors) : can(regex("^([0-9]+([.][0-9]+)?(ns|us|ms|s|m|h))+$", d.entry_timeout))])
    error_message = "Give each entry_timeout a duration such as 500ms or 10s."
  }
}

variable "mutations" {
  type        = list(string)
  default     = []
  description = "The detectors that are also measured on rewritten entries. Each takes a few seconds."
}

variable "held_out" {
  type        = bool
  default     = false
  description = "Also rewrite entries with the held-out operators. This needs a touchstone that was built with -tags heldout."
}

variable "selection_models" {
  type        = list(string)
  default     = ["lexical/bm25"]
  description = "What answers the cases: lexical/bm25, a baseline that matches words, and replay/PROVIDER/MODEL, recorded answers of a model."
  validation {
    condition     = length(var.selection_models) > 0
    error_message = "Name at least one model in selection_models; to measure no selection, set cases to \"\"."
  }
}

variable "selection_repeats" {
  type        = number
  default     = 1
  description = "How often each case is put to each model. Each repeat has its own recordings."
  validation {
    condition     = var.selection_repeats >= 1 && var.selection_repeats <= 100 && var.selection_repeats == floor(var.selection_repeats)
    error_message = "Give selection_repeats a whole number from 1 to 100."
  }
}

variable "selection_cassette" {
  type        = string
  default     = ""
  description = "The recorded answers of the models replay/PROVIDER/MODEL, from touchstone stage score-selection --record."
}

variable "selection_system_prompt" {
  type        = string
  default     = ""
  description = "The file of the system prompt with which the answers were recorded; \"\" for the default one."
}

variable "selection_tool_choice" {
  type        = string
  default     = "auto"
  description = "Whether the model calls a tool in the recorded answers: auto, required or none."
  validation {
    condition     = contains(["auto", "required", "none"], var.selection_tool_choice)
    error_message = "Set selection_tool_choice to auto, required or none."
  }
}

variable "selection_parallel_tool_calls" {
  type        = string
  default     = ""
  description = "Whether the model may make several calls at once in the recorded answers: true, false, or \"\" as the provider decides."
  validation {
    condition     = contains(["", "true", "false"], var.selection_parallel_tool_calls)
    error_message = "Set selection_parallel_tool_calls to true, false or \"\"."
  }
}

variable "selection_max_extra_calls" {
  type        = number
  default     = -1
  description = "How many calls beside expected ones a model may make in a repeat; -1 for any number. The baseline is not limited."
}

variable "selection_max_forbidden" {
  type        = number
  default     = 0
  description = "How many calls a model may make in a repeat that a case forbids, or that are unexpected and of destructive tools; -1 for any number. The baseline is not limited."
}

variable "selection_offer" {
  type        = string
  default     = "all"
  description = "Which tools a model is offered: all of the corpus, or what the proxy's search finds for the case (search)."
  validation {
    condition     = contains(["all", "search"], var.selection_offer)
    error_message = "Set selection_offer to all or search."
  }
}

variable "selection_top_k" {
  type        = number
  default     = 10
  description = "With selection_offer = \"search\": how many tools the search is asked for."
  validation {
    condition     = var.selection_top_k >= 1 && var.selection_top_k == floor(var.selection_top_k)
    error_message = "Give selection_top_k a whole number of at least 1."
  }
}

variable "similarity_method" {
  type        = string
  default     = "tfidf"
  description = "How analyze-similarity compares tools: tfidf (words of names and descriptions), description_overlap, or \"\" to leave it out."
  validation {
    condition     = contains(["tfidf", "description_overlap", ""], var.similarity_method)
    error_message = "Set similarity_method to tfidf, description_overlap or \"\"."
  }
}

variable "similarity_threshold" {
  type        = number
  default     = 0.4
  description = "The score from which two tools count as similar."
  validation {
    condition     = var.similarity_threshold >= 0 && var.similarity_threshold <= 1
    error_message = "Give similarity_threshold a score from 0 to 1."
  }
}

variable "search" {
  type        = string
  default     = "mcp"
  description = "The search interface to use: mcp (the tool retrieve_tools) or rest."
  validation {
    condition     = contains(["mcp", "rest"], var.search)
    error_message = "Set search to mcp or rest."
  }
}

variable "max_failed" {
  type        = number
  default     = 0.5
  description = "The largest share of queries that may fail, from 0 to 1. Above it, score-retrieval fails. A failed query counts as missed."
  validation {
    condition     = var.max_failed >= 0 && var.max_failed <= 1
    error_message = "Set max_failed to a share from 0 to 1."
  }
}

variable "degrade" {
  type        = string
  default     = ""
  description = "Degrade the index of the reference proxy on purpose, to see the gate fail: drop-descriptions, reverse-top or hide=TOOL_ID."
}

# For "touchstone data refresh" and its stage refresh-corpus only.
variable "refresh_image" {
  type        = string
  default     = ""
  description = "The container image in which a refresh installs and starts servers, if stages run in containers."
}

locals {
  # The real track has files of its own, in the same form.
  real   = "datasets/real"
  track  = var.data == "" ? "v" : "${var.data}_v"
  corpus = var.corpus != null ? var.corpus : var.data == "" ? "datasets/corpus_v2.json" : "datasets/corpus_${var.data}_v1.json"
  golden = var.golden != null ? var.golden : var.data == "" ? "datasets/golden_v2.json" : "datasets/golden_${var.data}_v1.json"

  cases_beside = try("datasets/cases_${one(regex("^datasets/corpus_(v[0-9]+)[.]json$", local.corpus))}.json", "")
  cases        = var.cases != null ? var.cases : local.cases_beside != "" && fileexists(local.cases_beside) ? local.cases_beside : ""
  has_cases    = local.cases != ""
  # By a name that an instance can have: replay:ollama:qwen3 for replay/ollama/qwen3.
  selection_models = { for model in var.selection_models : replace(model, "/", ":") => model }
  # The proxy takes part in score-selection only if its search makes the offer.
  offers_search = var.selection_offer == "search"

  # A proxy without a scanner of its own is not judged by the one of Touchstone.
  own_detectors = local.reference ? ["scanner", "unicode", "directives", "shadowing", "keywords"] : []
  detectors     = var.detectors != null ? var.detectors : concat(local.own_detectors, keys(var.external_detectors))
  all_detectors = concat(local.detectors, local.proxy_detectors)

  runs         = range(1, (var.quick ? 1 : var.runs) + 1)
  mutations    = var.quick ? [] : var.mutations
  mutated      = length(local.mutations) > 0 ? local.mutations : ["none"]
  has_baseline = local.baseline == "" ? false : fileexists(local.baseline)
  degrade      = var.degrade == "" ? [] : ["--degrade", var.degrade]

  # A baseline belongs to the data that it was made on: it contains their digests.
  # The candidates are sorted, the newest first.
  baseline_suffix = var.baseline_name == null ? local.proxy.suffix : var.baseline_name == "" ? "" : "_${var.baseline_name}"
  baseline_numbers = reverse(sort([
    for name in fileset("datasets", "baseline_${local.track}*.json") : format("%09d", tonumber(one(regex("^baseline_${local.track}([0-9]{1,9})", name))))
    if name == "baseline_${local.track}${try(one(regex("^baseline_${local.track}([0-9]{1,9})", name)), "")}${local.baseline_suffix}.json"
  ]))
  baselines    = [for number in local.baseline_numbers : "datasets/baseline_${local.track}${tonumber(number)}${local.baseline_suffix}.json"]
  data_digests = [for path in compact([local.corpus, local.golden, var.security, local.cases]) : try(filesha256(path), path) if length(local.baselines) > 1]
  in_common    = [for path in local.baselines : length([for digest in local.data_digests : digest if strcontains(file(path), digest)])]
  baseline     = var.baseline != null ? var.baseline : try(local.baselines[index(local.in_common, max(local.in_common...))], "datasets/baseline_${local.track}1${local.baseline_suffix}.json")

  # A refresh starts from the newest corpus.
  corpora        = [for file in fileset("datasets", "corpus_v*.json") : tonumber(one(regex("^corpus_v([0-9]{1,9})[.]json$", file))) if can(regex("^corpus_v([0-9]{1,9})[.]json$", file))]
  newest_corpus  = length(local.corpora) == 0 ? null : "datasets/corpus_v${max(local.corpora...)}.json"
  upstreams_file = "datasets/upstreams.hcl"
}
