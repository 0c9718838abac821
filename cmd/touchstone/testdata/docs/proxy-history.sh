# Makes ../my-proxy, a git repository of a proxy with five commits, of which the
# fourth forgets to index descriptions. The pages about compare and bisect use it.
set -e
mkdir ../my-proxy
cd ../my-proxy
git init -q -b main .
serve() { printf '#!/bin/sh\n%s\nexec %s proxy serve "$@"\n' "$1" "$(command -v touchstone)" >proxy.sh; }
commit() { git add -A; git commit -q -m "$1"; }
printf 'set -e\ncp proxy.sh proxy\nchmod +x proxy\n' >build.sh
serve ''
commit 'Serve tools'
git tag v1.4.0
echo 'A proxy.' >README; commit 'Add a README'
echo 'It searches tools.' >>README; commit 'Say what the proxy does'
serve 'for f; do case $f in *.json) test -s "$f" && sed -i "s/\"upstreams\"/\"index\":{\"drop_descriptions\":true},\"upstreams\"/" "$f";; esac; done'
commit 'Index names only'
echo 'It is fast.' >>README; commit 'Mention the speed'
