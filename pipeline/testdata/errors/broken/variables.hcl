variable "v" {
  default = [1,
} # ERROR: Invalid expression
