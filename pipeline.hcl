# The evaluation of an MCP proxy: validate -> build -> snapshot -> score ->
# aggregate -> gate -> render. variables.hcl declares the settings, and proxy.hcl
# those of your own proxy. docs/reference/language.md describes the language.
# "touchstone plan" shows which stages would run and why.

pipeline {
  name             = "touchstone"
  required_version = ">= 0.1.0"
  verdict          = stage.gate.verdict
  baseline         = local.baseline
  publish = {
    reports = stage.render.reports
  }
}

# The later stages read the copies that this stage writes, so they only score
# validated data.
stage "validate-datasets" {
  description = "Validate the datasets and write copies for the later stages."
  inputs = {
    corpus   = local.corpus
    golden   = local.golden
    security = var.security
    cases    = local.has_cases ? local.cases : null
    lock     = "datasets/lock.json"
  }
  outputs = {
    corpus   = "out/corpus.json"
    golden   = "out/golden.json"
    security = "out/security.json"
    cases    = "out/cases/"
    report   = "out/validation.json"
  }
  command = concat(
    [
      "touchstone", "stage", "validate-datasets",
      "--corpus", input.corpus, "--golden", input.golden, "--security", input.security, "--lock", input.lock,
      "--changed", var.changed_data.frozen,
      "--out-corpus", output.corpus, "--out-golden", output.golden, "--out-security", output.security,
      "--out-cases", output.cases, "--out-report", output.report,
    ],
    input.cases == null ? [] : ["--cases", input.cases],
    var.quick ? ["--split", "dev"] : [],
  )
  timeout = "2m"
}

stage "build-proxy" {
  description = "Build the proxy under test, or select the embedded one."
  inputs = {
    adapter = local.proxy.adapter
    source  = local.proxy.source
    model   = var.proxy_model == "" ? null : { path = var.proxy_model }
  }
  outputs = {
    proxy     = "out/proxy/"
    detectors = "out/detectors/"
  }
  command = concat(
    ["touchstone", "stage", "build-proxy", "--out", output.proxy, "--detectors", output.detectors],
    input.adapter == null ? [] : ["--adapter", input.adapter], local.proxy.options,
    input.model == null ? [] : ["--model", input.model],
    input.source == null ? [] : ["--source", input.source], local.proxy.build,
  )
  passthrough = local.proxy.build_passthrough
  env         = local.proxy.build_env
  image       = local.proxy.build_image
  network     = local.proxy.build_network
  timeout     = "15m"
}

stage "snapshot-index" {
  description = "Start the proxy with the frozen tools and record what it indexed."
  inputs = {
    proxy  = stage.build-proxy.proxy
    corpus = stage.validate-datasets.corpus
  }
  outputs = {
    index = "out/index.json"
  }
  command = concat(
    [
      "touchstone", "stage", "snapshot-index", "--proxy", input.proxy, "--corpus", input.corpus,
      "--ready-timeout", var.proxy_process.ready_timeout, "--out", output.index,
    ],
    local.degrade,
  )
  secrets = { PROXY_SECRET = local.proxy.secret }
  image   = var.images.run
  network = var.proxy_process.network
  timeout = "5m"
}

stage "score-retrieval" {
  description = "Send every query to the proxy's search and score the rankings."
  matrix {
    run = local.runs
  }
  inputs = {
    proxy  = stage.build-proxy.proxy
    corpus = stage.validate-datasets.corpus
    golden = stage.validate-datasets.golden
    index  = stage.snapshot-index.index
  }
  outputs = {
    report = "out/retrieval.json"
  }
  command = concat(
    [
      "touchstone", "stage", "score-retrieval",
      "--proxy", input.proxy, "--corpus", input.corpus, "--golden", input.golden, "--index", input.index,
      "--run", matrix.run, "--search", var.retrieval.search, "--ready-timeout", var.proxy_process.ready_timeout,
      "--max-failed", var.retrieval.max_failed, "--out", output.report,
    ],
    local.degrade,
  )
  secrets = { PROXY_SECRET = local.proxy.secret }
  image   = var.images.run
  network = var.proxy_process.network
  timeout = "10m"
}

stage "score-security" {
  description = "Run a detector on every security entry and count the entries that it flags."
  when        = length(local.all_detectors) > 0
  matrix {
    detector = length(local.all_detectors) > 0 ? local.all_detectors : ["none"]
    run      = local.runs
  }
  inputs = {
    security = stage.validate-datasets.security
    detector = try(var.external_detectors[matrix.detector].dir, null)
    adapted  = contains(local.proxy_detectors, matrix.detector) ? stage.build-proxy.detectors : null
  }
  outputs = {
    report = "out/security.json"
  }
  command = concat(
    [
      "touchstone", "stage", "score-security",
      "--security", input.security, "--detector", matrix.detector, "--run", matrix.run, "--out", output.report,
    ],
    input.adapted == null ? [] : ["--adapted", input.adapted],
    input.detector == null ? [] : concat(["--entry-timeout", var.external_detectors[matrix.detector].entry_timeout, "--"], [
      for word in var.external_detectors[matrix.detector].command : replace(word, "{dir}", input.detector)
    ]),
  )
  image   = var.images.run
  timeout = "10m"
}

stage "score-mutations" {
  description = "Run a detector on rewritten entries, to measure how much it depends on the wording."
  matrix {
    detector = local.mutated
  }
  inputs = {
    security = stage.validate-datasets.security
    detector = try(var.external_detectors[matrix.detector].dir, null)
    adapted  = contains(local.proxy_detectors, matrix.detector) ? stage.build-proxy.detectors : null
  }
  outputs = {
    report = "out/mutations.json"
  }
  command = concat(
    ["touchstone", "stage", "score-mutations", "--security", input.security, "--out", output.report],
    length(local.mutations) > 0 ? ["--detector", matrix.detector] : [],
    var.mutations.held_out ? ["--held-out"] : [],
    input.adapted == null ? [] : ["--adapted", input.adapted],
    input.detector == null ? [] : concat(["--entry-timeout", var.external_detectors[matrix.detector].entry_timeout, "--"], [
      for word in var.external_detectors[matrix.detector].command : replace(word, "{dir}", input.detector)
    ]),
  )
  image   = var.images.run
  timeout = "30m"
}

stage "score-selection" {
  description = "Put every case to a model and judge the tool that it calls."
  when        = local.has_cases
  matrix {
    model  = keys(local.selection_models)
    repeat = range(1, var.selection.repeats + 1)
  }
  inputs = {
    cases    = stage.validate-datasets.cases
    corpus   = stage.validate-datasets.corpus
    cassette = startswith(local.selection_models[matrix.model], "replay/") && var.selection.cassette != "" ? var.selection.cassette : null
    proxy    = local.offers_search ? stage.build-proxy.proxy : null
  }
  outputs = {
    report = "out/selection.json"
  }
  command = concat(
    [
      "touchstone", "stage", "score-selection", "--cases", "${input.cases}/cases.json", "--corpus", input.corpus,
      "--model", local.selection_models[matrix.model], "--repeat", matrix.repeat, "--offer", var.selection.offer, "--out", output.report,
    ],
    input.cassette == null ? [] : [
      "--cassette", input.cassette, "--max-extra-calls", var.selection.max_extra_calls,
      "--max-forbidden", var.selection.max_forbidden,
    ],
    input.proxy == null ? [] : concat(
      [
        "--proxy", input.proxy, "--top-k", var.selection.top_k, "--search", var.retrieval.search,
        "--ready-timeout", var.proxy_process.ready_timeout,
      ],
      local.degrade,
    ),
  )
  secrets = { PROXY_SECRET = local.offers_search ? local.proxy.secret : null }
  image   = local.offers_search ? var.images.run : ""
  network = local.offers_search ? var.proxy_process.network : "none"
  timeout = "10m"
}

stage "analyze-similarity" {
  description = "Find tools of the corpus that a model may confuse."
  when        = var.similarity.method != ""
  inputs = {
    corpus = stage.validate-datasets.corpus
  }
  outputs = {
    report = "out/similarity.json"
  }
  command = [
    "touchstone", "stage", "analyze-similarity", "--corpus", input.corpus, "--method", var.similarity.method,
    "--threshold", var.similarity.threshold, "--out", output.report,
  ]
  timeout = "2m"
}

stage "aggregate" {
  description = "Combine the results of all runs, with intervals, and compare them with the baseline."
  inputs = {
    validation = stage.validate-datasets.report
    retrieval  = stage.score-retrieval.report
    security   = stage.score-security.report
    mutations  = stage.score-mutations.report
    selection  = stage.score-selection.report
    similarity = stage.analyze-similarity.report
    baseline   = local.has_baseline ? local.baseline : null
  }
  outputs = {
    aggregate = "out/aggregate.json"
  }
  command = concat(
    [
      "touchstone", "stage", "aggregate",
      "--validation", input.validation, "--retrieval", input.retrieval, "--mutations", input.mutations,
      "--out", output.aggregate,
    ],
    input.security == null ? [] : ["--security", input.security],
    input.selection == null ? [] : ["--selection", input.selection],
    input.similarity == null ? [] : ["--similarity", input.similarity],
    local.has_baseline ? ["--baseline", input.baseline] : [],
  )
  timeout = "5m"
}

stage "gate" {
  description = "Compare the metrics with the thresholds of the baseline."
  inputs = {
    aggregate = stage.aggregate.aggregate
    baseline  = local.has_baseline ? local.baseline : null
  }
  outputs = {
    verdict = "out/gate.json"
  }
  command = concat(
    ["touchstone", "stage", "gate", "--aggregate", input.aggregate, "--min-overlap", var.changed_data.min_overlap, "--out", output.verdict],
    local.has_baseline ? ["--baseline", input.baseline] : [],
  )
  timeout = "1m"
}

stage "render" {
  description = "Write the reports."
  inputs = {
    aggregate = stage.aggregate.aggregate
    gate      = stage.gate.verdict
  }
  outputs = {
    reports = "out/reports/"
  }
  command = ["touchstone", "stage", "render", "--aggregate", input.aggregate, "--gate", input.gate, "--out", output.reports]
  timeout = "2m"
}

# "touchstone data refresh" runs this stage and writes the new corpus to datasets/. No
# other run includes it, because its result depends on servers elsewhere.
stage "refresh-corpus" {
  description = "Read the tools of real servers and write the next version of the corpus."
  on_demand   = true
  when        = fileexists(local.upstreams_file)
  inputs = {
    upstreams = { path = dirname(local.upstreams_file), include = ["upstreams.hcl", "upstreams/**", "corpus_v*.json"] }
    previous  = local.newest_corpus
  }
  outputs = {
    corpus = "out/corpus.json"
    report = "out/refresh.json"
  }
  command = concat(
    [
      "touchstone", "stage", "refresh-corpus", "--upstreams", "${input.upstreams}/upstreams.hcl",
      "--out", output.corpus, "--out-report", output.report,
    ],
    input.previous == null ? [] : ["--previous", input.previous],
  )
  passthrough = [
    "HOME", "npm_config_registry", "NPM_CONFIG_REGISTRY", "npm_config_cache", "NPM_CONFIG_USERCONFIG", "NODE_EXTRA_CA_CERTS",
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE",
  ]
  image   = var.images.refresh
  network = "full"
  timeout = "30m"
  cache {
    mode = "off"
  }
}

# "touchstone data fetch real" runs these two stages and writes the corpus to datasets/. The
# first one downloads packages and runs no program of others; the second one runs their
# servers, without network. Each tool is compared with its digest, so the results can be cached.
stage "download-real" {
  description = "Download the packages of the servers of the real track."
  on_demand   = true
  when        = fileexists("${local.real}/upstreams.hcl")
  inputs = {
    upstreams = { path = local.real, include = ["upstreams.hcl", "**/package.json", "**/package-lock.json"] }
  }
  outputs = {
    packages = "out/packages/"
  }
  command = [
    "touchstone", "stage", "download-tools", "--upstreams", "${input.upstreams}/upstreams.hcl", "--out", output.packages,
  ]
  passthrough = [
    "PATH", "HOME", "npm_config_registry", "NPM_CONFIG_REGISTRY", "NPM_CONFIG_USERCONFIG", "NODE_EXTRA_CA_CERTS",
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE",
  ]
  image   = var.images.refresh
  network = "full"
  timeout = "1h"
}

stage "fetch-real" {
  description = "Read the tools of the servers of the real track and verify each."
  on_demand   = true
  when        = fileexists("${local.real}/upstreams.hcl")
  inputs = {
    upstreams = local.real
    packages  = stage.download-real.packages
  }
  outputs = {
    corpus = "out/corpus.json"
    frozen = "out/digests.json"
    report = "out/fetch.json"
  }
  command = [
    "touchstone", "stage", "fetch-tools", "--upstreams", "${input.upstreams}/upstreams.hcl",
    "--packages", input.packages, "--frozen", "${input.upstreams}/digests.json",
    "--out", output.corpus, "--out-frozen", output.frozen, "--out-report", output.report,
  ]
  passthrough = ["PATH"]
  image       = var.images.refresh
  network     = "loopback"
  timeout     = "1h"
}
