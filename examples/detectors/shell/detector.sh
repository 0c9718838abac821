#!/bin/sh
# A detector in nothing but shell: it looks for two phrases in the whole line,
# and so also finds them where they do not matter. The request's id stands at
# the start of the line, which is what makes it possible without a parser.
while IFS= read -r line; do
  id=${line#*'"id":"'}
  id=${id%%'"'*}
  case $line in
  *'<!--'* | *[Ii]'gnore '*' instructions'*) flagged=true ;;
  *) flagged=false ;;
  esac
  printf '{"protocol":1,"id":"%s","flagged":%s}\n' "$id" "$flagged"
done
