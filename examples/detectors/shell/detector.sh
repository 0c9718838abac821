#!/bin/sh
# A detector in plain shell. It searches the whole line for two phrases, so it
# also finds them in irrelevant places. It needs no JSON parser, because the id
# of the request is at the start of the line.
while IFS= read -r line; do
  id=${line#*'"id":"'}
  id=${id%%'"'*}
  case $line in
  *'<!--'* | *[Ii]'gnore '*' instructions'*) flagged=true ;;
  *) flagged=false ;;
  esac
  printf '{"protocol":1,"id":"%s","flagged":%s}\n' "$id" "$flagged"
done
