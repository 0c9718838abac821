variable "declared" { default = 1 }
varaible "typo" { # ERROR: Unknown block; Did you mean "variable"
  default = 1
}
