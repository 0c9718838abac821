# The settings of your own proxy: what it is, how to build it and what it may use.
# An adapter, selected with --var proxy=NAME, contains most of them.

variable "proxy" {
  type        = string
  default     = ""
  description = "The proxy under test: the name of an adapter in adapters/, or the path of one. Empty for the reference proxy or, with proxy_source, for a proxy that implements docs/reference/proxy-contract.md."
  validation {
    condition     = var.proxy == "" || fileexists(endswith(var.proxy, ".hcl") ? var.proxy : "adapters/${var.proxy}.hcl")
    error_message = endswith(var.proxy, ".hcl") ? "There is no file ${var.proxy}: give the path of an adapter, relative to the directory of the pipeline." : "There is no such adapter: give the name of a file in adapters/ without .hcl (${try(join(", ", [for f in fileset("adapters", "*.hcl") : trimsuffix(f, ".hcl")]), "there is none")}), or the path of an adapter that ends in .hcl."
  }
}

variable "proxy_options" {
  type        = map(string)
  default     = {}
  description = "The options of the adapter, by name."
  validation {
    condition     = length(var.proxy_options) == 0 || var.proxy != ""
    error_message = "proxy_options has no effect without proxy: set proxy to the adapter that has these options, or leave out proxy_options."
  }
}

variable "proxy_detectors" {
  type        = list(string)
  default     = null
  description = "The adapter's detectors that score-security also scores. By default all of them."
}

variable "proxy_source" {
  type        = string
  default     = ""
  description = "The directory with the source of the proxy. Empty if there is nothing to build."
}

# command  what builds the proxy in a copy of proxy_source. By default the command of the adapter.
#          Without any command, the source is used without a build.
# binary   the file that the command creates, relative to proxy_source. By default the file that
#          the adapter names, or proxy without an adapter.
# exclude  files of proxy_source that are not part of the proxy, as patterns such as eval/**. A
#          change of these does not build it again.
variable "proxy_build" {
  type = object({
    command = optional(list(string), [])
    binary  = optional(string, "")
    exclude = optional(list(string), [])
  })
  default     = {}
  description = "How proxy_source is built: the command, the binary that it creates, and the files that are no part of the proxy (exclude)."
  validation {
    condition     = length(var.proxy_build.command) == 0 || var.proxy_source != ""
    error_message = "proxy_build.command has no effect without proxy_source, and another proxy would be measured: set proxy_source to the directory with the source of the proxy, or leave out proxy_build.command."
  }
  validation {
    condition     = var.proxy_build.binary == "" || var.proxy_source != ""
    error_message = "proxy_build.binary has no effect without proxy_source, and another proxy would be measured: set proxy_source to the directory with the source of the proxy, or leave out proxy_build.binary."
  }
}

variable "proxy_model" {
  type        = string
  default     = ""
  description = "The directory of a sentence model, as printed by `touchstone models path`, for a proxy that ranks by meaning. The reference proxy then combines its BM25 ranking with the ranking of the model. Empty for no model."
}

# args           arguments for a proxy without an adapter. They precede the arguments that name its
#                configuration.
# network        the network access of the proxy: loopback, or full for a proxy that needs a
#                remote service.
# secret         the source of a secret for the proxy, env:NAME or file:PATH. The value is not
#                stored. The proxy receives it in the environment variable PROXY_SECRET, and an
#                adapter refers to it as secret.
# ready_timeout  the time limit for the proxy to index all tools.
variable "proxy_process" {
  type = object({
    args          = optional(list(string), [])
    network       = optional(string, "loopback")
    secret        = optional(string, "")
    ready_timeout = optional(string, "3m")
  })
  default     = {}
  description = "How the proxy runs: its arguments without an adapter (args), its network access (network: loopback or full), the source of its secret (secret: env:NAME or file:PATH), and the time limit to index all tools (ready_timeout)."
  validation {
    condition     = length(var.proxy_process.args) == 0 || var.proxy_source != ""
    error_message = "proxy_process.args has no effect without proxy_source, and another proxy would be measured: set proxy_source to the directory with the source of the proxy, or leave out proxy_process.args."
  }
  validation {
    condition     = contains(["loopback", "full"], var.proxy_process.network)
    error_message = "Set proxy_process.network to loopback or full."
  }
  validation {
    condition     = can(regex("^([0-9]+([.][0-9]+)?(ns|us|ms|s|m|h))+$", var.proxy_process.ready_timeout))
    error_message = "Set proxy_process.ready_timeout to a duration such as 90s or 3m."
  }
}

locals {
  from_source = var.proxy_source != ""
  adapted     = var.proxy != ""
  reference   = !local.from_source && (!local.adapted || var.proxy == "reference")
  adapter     = endswith(var.proxy, ".hcl") ? var.proxy : "adapters/${var.proxy}.hcl"
  binary      = var.proxy_build.binary != "" || local.adapted ? var.proxy_build.binary : "proxy"

  # The adapter's own detectors, by the labels of its blocks.
  described       = local.adapted ? flatten(regexall("(?m)^[ \\t]*detector[ \\t]+\"?([^\"\\s{]+)", file(local.adapter))) : []
  proxy_detectors = var.proxy_detectors == null ? local.described : var.proxy_detectors

  proxy = {
    # Each proxy has its own baseline.
    suffix = local.adapted ? "_${trimsuffix(basename(var.proxy), ".hcl")}" : local.from_source ? "_${basename(local.binary)}" : ""

    # The inputs of the stage build-proxy, and arguments of its command.
    adapter = local.adapted ? local.adapter : null
    source  = local.from_source ? { path = var.proxy_source, exclude = concat([".git/**"], var.proxy_build.exclude) } : null
    options = local.adapted ? concat(["--adapter-name", trimsuffix(basename(var.proxy), ".hcl")], flatten([
      for name, value in var.proxy_options : ["--option", "${name}=${value}"]
    ])) : []
    build = local.from_source ? concat(
      local.binary == "" ? [] : ["--binary", local.binary],
      flatten([for word in var.proxy_process.args : ["--arg", word]]),
      ["--"], var.proxy_build.command,
    ) : []

    # A build needs the compiler's caches and the network. Its directory differs
    # in every run, so the built files must not contain it: the same source must
    # produce the same bytes.
    build_passthrough = local.from_source ? [
      "HOME", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOPRIVATE", "GOTOOLCHAIN",
      "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE",
    ] : []
    build_env = local.from_source ? {
      PATH    = "/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
      GOFLAGS = "-trimpath -buildvcs=false"
    } : {}
    build_image   = local.from_source ? var.images.build : ""
    build_network = local.from_source ? "full" : "none"

    secret = var.proxy_process.secret == "" ? null : var.proxy_process.secret
  }
}
