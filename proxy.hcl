# A proxy of your own: what it is, how it is built and what it may use. With
# --var proxy=NAME an adapter in adapters/ says most of this.

variable "proxy" {
  type        = string
  default     = ""
  description = "The proxy under test: the name of an adapter in adapters/, or the path of one. Empty for the reference proxy, or with proxy_source for one that keeps to docs/reference/proxy-contract.md."
  validation {
    condition     = var.proxy == "" || fileexists(endswith(var.proxy, ".hcl") ? var.proxy : "adapters/${var.proxy}.hcl")
    error_message = "There is no such adapter: give the name of a file in adapters/ without .hcl (${try(join(", ", [for f in fileset("adapters", "*.hcl") : trimsuffix(f, ".hcl")]), "there is none")}), or the path of an adapter with it."
  }
}

variable "proxy_options" {
  type        = map(string)
  default     = {}
  description = "Settings of the adapter, by the names that it declares."
}

variable "proxy_detectors" {
  type        = list(string)
  default     = null
  description = "Which of the adapter's detectors score-security scores beside the others; by default all."
}

variable "proxy_source" {
  type        = string
  default     = ""
  description = "A directory to build the proxy from; empty for a proxy that is not built."
}

variable "proxy_build" {
  type        = list(string)
  default     = []
  description = "The command that builds the proxy inside a copy of proxy_source; by default what the adapter says, and where it says nothing the source is taken as it is."
}

variable "proxy_binary" {
  type        = string
  default     = ""
  description = "What proxy_build leaves, relative to proxy_source; by default what the adapter says, or proxy."
}

variable "proxy_model" {
  type        = string
  default     = ""
  description = "The directory of a sentence model, as `touchstone models path` prints it, for a proxy that ranks by meaning: the reference proxy then fuses its BM25 with the model's ranking. Empty for none."
}

variable "proxy_image" {
  type        = string
  default     = ""
  description = "The image that proxy_build runs in where stages are containers, NAME@sha256:DIGEST or dir:PATH; elsewhere it changes nothing but the key."
}

variable "proxy_run_image" {
  type        = string
  default     = ""
  description = "The image that the proxy and its detectors run in where stages are containers, for one that starts other programs or is not static; empty for a container that holds touchstone and the proxy alone."
}

variable "proxy_args" {
  type        = list(string)
  default     = []
  description = "Arguments that a proxy without an adapter is started with, before those that name its configuration."
}

variable "proxy_network" {
  type        = string
  default     = "loopback"
  description = "What the proxy may reach: loopback, or full for one that needs a service elsewhere."
  validation {
    condition     = contains(["loopback", "full"], var.proxy_network)
    error_message = "Set proxy_network to loopback or full."
  }
}

variable "proxy_secret" {
  type        = string
  default     = ""
  description = "Where a secret that the proxy needs comes from, env:NAME or file:PATH. Its value is kept nowhere; the proxy finds it in PROXY_SECRET, an adapter as secret."
}

variable "proxy_ready_timeout" {
  type        = string
  default     = "3m"
  description = "How long the proxy may take to index everything."
}

locals {
  from_source = var.proxy_source != ""
  adapted     = var.proxy != ""
  adapter     = endswith(var.proxy, ".hcl") ? var.proxy : "adapters/${var.proxy}.hcl"
  binary      = var.proxy_binary != "" || local.adapted ? var.proxy_binary : "proxy"

  # The adapter's own detectors, by the labels of its blocks.
  described       = local.adapted ? flatten(regexall("(?m)^[ \\t]*detector[ \\t]+\"?([^\"\\s{]+)", file(local.adapter))) : []
  proxy_detectors = var.proxy_detectors == null ? local.described : var.proxy_detectors

  proxy = {
    # Each proxy is judged by its own baseline.
    suffix = local.adapted ? "_${trimsuffix(basename(var.proxy), ".hcl")}" : local.from_source ? "_${basename(local.binary)}" : ""

    # What the stage build-proxy reads, and the words of its command.
    adapter = local.adapted ? local.adapter : null
    source  = local.from_source ? { path = var.proxy_source, exclude = [".git/**"] } : null
    options = local.adapted ? flatten([for name, value in var.proxy_options : ["--option", "${name}=${value}"]]) : []
    build = local.from_source ? concat(
      local.binary == "" ? [] : ["--binary", local.binary],
      flatten([for word in var.proxy_args : ["--arg", word]]),
      ["--"], var.proxy_build,
    ) : []

    # A build needs its compiler's caches and the network. Its directory differs
    # from run to run and must not be in what it builds: the same source has to
    # give the same bytes.
    build_passthrough = local.from_source ? [
      "HOME", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOPRIVATE", "GOTOOLCHAIN",
      "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE",
    ] : []
    build_env = local.from_source ? {
      PATH    = "/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
      GOFLAGS = "-trimpath -buildvcs=false"
    } : {}
    build_image   = local.from_source ? var.proxy_image : ""
    build_network = local.from_source ? "full" : "none"

    secret = var.proxy_secret == "" ? null : var.proxy_secret
  }
}
