variable "x" {
  default = # ERROR: Invalid expression
}
