variable "extra" {
  type    = bool
  default = false
}
