# VAR: rnus=3
# VAR: broken
# VAR: n=three
# ERROR@: Undeclared variable; Did you mean "runs"?
# ERROR@: Invalid --var; "broken" is not of the form
# ERROR@: Bad type; "n" must be a number
variable "runs" { default = 1 }
variable "n" { type = number }
stage "s" {
  command = ["x", var.n]
}
