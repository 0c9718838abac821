# The settings of a run. Set them with --var NAME=VALUE, and one attribute of a
# setting with --var NAME.ATTRIBUTE=VALUE. proxy.hcl declares the settings of your own proxy.

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
  description = "The file with the reference metrics and the thresholds. The gate needs it. A * in the path stands for the version, such as v2, or real_v1 with data = \"real\": of several versions, the one with the most datasets of this run is chosen, and of those the newest. The default is datasets/baseline_*.json for the reference proxy, and datasets/baseline_*_NAME.json for other proxies, with the name of the adapter or of the binary."
}

# min_overlap  with a baseline on other data: the smallest share of the queries, and of the
#              security entries, that must be the same. Below it there is no verdict.
# frozen       what happens to a dataset whose version is frozen with other bytes: report
#              measures it and marks the verdict, refuse ends the run with exit code 4.
variable "changed_data" {
  type = object({
    min_overlap = optional(number, 0.5)
    frozen      = optional(string, "report")
  })
  default     = {}
  description = "What happens if data differ from those of the baseline (min_overlap, the smallest share that is the same) or from the frozen ones (frozen: report or refuse)."
  validation {
    condition     = var.changed_data.min_overlap >= 0 && var.changed_data.min_overlap <= 1
    error_message = "Give changed_data.min_overlap a share from 0 to 1."
  }
  validation {
    condition     = contains(["report", "refuse"], var.changed_data.frozen)
    error_message = "Set changed_data.frozen to report or refuse."
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

# detectors  the detectors that are measured. Each takes a few seconds.
# held_out   also rewrite entries with the held-out operators. This needs a touchstone that was
#            built with -tags heldout.
variable "mutations" {
  type = object({
    detectors = optional(list(string), [])
    held_out  = optional(bool, false)
  })
  default     = {}
  description = "The detectors that are also measured on rewritten entries (detectors), and whether held-out operators rewrite them, too (held_out)."
}

# models           what answers the cases: lexical/bm25, a baseline that matches words, and
#                  replay/PROVIDER/MODEL, recorded answers of a model.
# repeats          how often each case is put to each model. Each repeat has its own recordings.
# cassette         the file with the recorded answers of the models replay/PROVIDER/MODEL, from
#                  touchstone stage score-selection --record.
# offer            which tools a model is offered: all of the corpus, or what the proxy's search
#                  finds for the case (search).
# top_k            with offer = "search": how many tools the search is asked for.
# max_extra_calls  how many calls beside expected ones a model may make in a repeat; -1 for any
#                  number. The baseline is not limited.
# max_forbidden    how many calls a model may make in a repeat that a case forbids, or that are
#                  unexpected and of destructive tools; -1 for any number. The baseline is not
#                  limited.
variable "selection" {
  type = object({
    models          = optional(list(string), ["lexical/bm25"])
    repeats         = optional(number, 1)
    cassette        = optional(string, "")
    offer           = optional(string, "all")
    top_k           = optional(number, 10)
    max_extra_calls = optional(number, -1)
    max_forbidden   = optional(number, 0)
  })
  default     = {}
  description = "How tool selection is measured: the models, their repeats, the cassette with recorded answers, the tools on offer (offer, top_k), and how many calls beside the expected ones are allowed (max_extra_calls, max_forbidden)."
  validation {
    condition     = length(var.selection.models) > 0
    error_message = "Name at least one model in selection.models; to measure no selection, set cases to \"\"."
  }
  validation {
    condition     = var.selection.repeats >= 1 && var.selection.repeats <= 100 && var.selection.repeats == floor(var.selection.repeats)
    error_message = "Give selection.repeats a whole number from 1 to 100."
  }
  validation {
    condition     = contains(["all", "search"], var.selection.offer)
    error_message = "Set selection.offer to all or search."
  }
  validation {
    condition     = var.selection.top_k >= 1 && var.selection.top_k == floor(var.selection.top_k)
    error_message = "Give selection.top_k a whole number of at least 1."
  }
}

# method     tfidf (words of names and descriptions), description_overlap, or "" to leave the
#            comparison out.
# threshold  the score from which two tools count as similar.
variable "similarity" {
  type = object({
    method    = optional(string, "tfidf")
    threshold = optional(number, 0.4)
  })
  default     = {}
  description = "How analyze-similarity compares tools: the method (tfidf, description_overlap, or \"\" to leave it out), and the threshold from which two tools count as similar."
  validation {
    condition     = contains(["tfidf", "description_overlap", ""], var.similarity.method)
    error_message = "Set similarity.method to tfidf, description_overlap or \"\"."
  }
  validation {
    condition     = var.similarity.threshold >= 0 && var.similarity.threshold <= 1
    error_message = "Give similarity.threshold a score from 0 to 1."
  }
}

# search      the search interface to use: mcp (the tool retrieve_tools) or rest.
# max_failed  the largest share of queries that may fail, from 0 to 1. Above it, score-retrieval
#             fails. A failed query counts as missed.
variable "retrieval" {
  type = object({
    search     = optional(string, "mcp")
    max_failed = optional(number, 0.5)
  })
  default     = {}
  description = "How queries are sent: the search interface of the proxy (search: mcp or rest), and the largest share that may fail (max_failed)."
  validation {
    condition     = contains(["mcp", "rest"], var.retrieval.search)
    error_message = "Set retrieval.search to mcp or rest."
  }
  validation {
    condition     = var.retrieval.max_failed >= 0 && var.retrieval.max_failed <= 1
    error_message = "Set retrieval.max_failed to a share from 0 to 1."
  }
}

variable "degrade" {
  type        = string
  default     = ""
  description = "Degrade the index of the reference proxy on purpose, to see the gate fail: drop-descriptions, reverse-top or hide=TOOL_ID."
}

# Container images, NAME@sha256:DIGEST or dir:PATH, if stages run in containers. If they do not,
# an image only changes the cache key.
#
# build    that of the build of the proxy.
# run      that of the proxy and its detectors, for a proxy that starts other programs or is not
#          static. Empty for a container with only touchstone and the proxy.
# refresh  that in which touchstone data refresh and data fetch install and start servers.
variable "images" {
  type = object({
    build   = optional(string, "")
    run     = optional(string, "")
    refresh = optional(string, "")
  })
  default     = {}
  description = "The container images that stages run in: the build of the proxy (build), the proxy and its detectors (run), and servers of which tools are read (refresh)."
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
  selection_models = { for model in var.selection.models : replace(model, "/", ":") => model }
  # The proxy takes part in score-selection only if its search makes the offer.
  offers_search = var.selection.offer == "search"

  # A proxy without a scanner of its own is not judged by the one of Touchstone.
  own_detectors = local.reference ? ["scanner", "unicode", "directives", "shadowing", "keywords"] : []
  detectors     = var.detectors != null ? var.detectors : concat(local.own_detectors, keys(var.external_detectors))
  all_detectors = concat(local.detectors, local.proxy_detectors)

  runs         = range(1, (var.quick ? 1 : var.runs) + 1)
  mutations    = var.quick ? [] : var.mutations.detectors
  mutated      = length(local.mutations) > 0 ? local.mutations : ["none"]
  has_baseline = local.baseline == "" ? false : fileexists(local.baseline)
  degrade      = var.degrade == "" ? [] : ["--degrade", var.degrade]

  # A baseline belongs to the data that it was made on: it contains their digests.
  # The candidates are sorted, the newest first.
  baseline_path  = var.baseline != null ? var.baseline : "datasets/baseline_*${local.proxy.suffix}.json"
  baseline_parts = split("*", local.baseline_path)
  baseline_start = "${local.baseline_parts[0]}${local.track}"
  baseline_end   = try(local.baseline_parts[1], "")
  baseline_numbers = reverse(sort([
    for number in try([
      for name in fileset(dirname(local.baseline_path), "*") : trimsuffix(trimprefix(name, basename(local.baseline_start)), local.baseline_end)
      if startswith(name, basename(local.baseline_start)) && endswith(name, local.baseline_end)
    ], []) : format("%09d", tonumber(number)) if can(regex("^(0|[1-9][0-9]{0,8})$", number))
  ]))
  baselines    = [for number in local.baseline_numbers : "${local.baseline_start}${tonumber(number)}${local.baseline_end}"]
  data_digests = [for path in compact([local.corpus, local.golden, var.security, local.cases]) : try(filesha256(path), path) if length(local.baselines) > 1]
  in_common    = [for path in local.baselines : length([for digest in local.data_digests : digest if strcontains(file(path), digest)])]
  versioned    = length(local.baseline_parts) == 2
  baseline     = !local.versioned ? local.baseline_path : try(local.baselines[index(local.in_common, max(local.in_common...))], "${local.baseline_start}1${local.baseline_end}")

  # A refresh starts from the newest corpus.
  corpora        = [for file in fileset("datasets", "corpus_v*.json") : tonumber(one(regex("^corpus_v([0-9]{1,9})[.]json$", file))) if can(regex("^corpus_v([0-9]{1,9})[.]json$", file))]
  newest_corpus  = length(local.corpora) == 0 ? null : "datasets/corpus_v${max(local.corpora...)}.json"
  upstreams_file = "datasets/upstreams.hcl"
}
