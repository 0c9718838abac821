variable "n" {
  type    = number
  default = "many" # ERROR: Bad type; must be a number, not "many"
}
variable "wrong" {
  type = strin # ERROR: Invalid type specification
  default = 1
}
variable "unset" {} # ERROR: Variable without a value; --var unset=VALUE
variable "checked" { # ERROR: Invalid value of variable checked; The value is 3.
  default = 3
  validation { # the rule
    condition     = var.checked > 5
    error_message = "Too few."
  }
}
stage "s" {
  command     = "echo hi" # ERROR: Bad type; write ["sh", "-c", "..."]
  env         = ["A"]     # ERROR: Bad type; must be a map
  timeout     = "5"       # ERROR: Invalid duration
  retries     = 1.5       # ERROR: Invalid number; whole number from 0 to 10
  network     = "loopbak" # ERROR: Invalid network; Did you mean "loopback"?
  platform    = "amd64"   # ERROR: Invalid platform
  image       = ["x"]     # ERROR: Bad type; string required
  passthrough = ["A=B"]   # ERROR: Invalid name; "A=B"
  secrets     = {
    KEY = "sk-123456"     # ERROR: Invalid secret; must name the source of its value
    B   = "env:"          # ERROR: Invalid secret
  }
  resources {
    cpus      = -1        # ERROR: Invalid number; cpus
    memory_mb = "lots"    # ERROR: Bad type; number
  }
  cache {
    mode = "offf"          # ERROR: Invalid mode; Did you mean "off"?
    ttl  = "-1h"          # ERROR: Invalid duration
  }
}
stage "words" {
  command = [
    "x",
    ["a"],     # ERROR: Bad type; concat([...], LIST)
    { a = 1 }, # ERROR: Bad type; must be a string
    null,
    1,
    true,
  ]
  env = {
    A   = ["x"] # ERROR: Bad type; "A"
    "B-C" = "x" # ERROR: Invalid name; "B-C"
  }
}
stage "nothing" {
  command = [] # ERROR: Empty command
}
stage "null" {
  command = [null] # ERROR: Empty command
}
stage "missing" { # ERROR: Missing attribute; needs "command"
  outputs = { x = "out/x" }
}
stage "depends" {
  command = ["x", var.n, var.unset, "${var.wrong}-${var.n}"]
}
# A value that is refused is refused once, and not again where it is used.
stage "of_refused" {
  matrix { i = range(var.checked - 3) }
  command = ["echo", matrix.i, file("${var.checked}.txt")]
}
