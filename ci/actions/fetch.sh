#!/usr/bin/env bash
# Usage: fetch.sh NAME
#
# Fetches the released program NAME (touchstone or touchstone-scan) for this runner, checks
# the digest of its archive, and prints the path of the program. With PROGRAM, it uses that
# program.
#
#   VERSION    the release, such as 0.1.0
#   SHA256     the digest of the archive for this runner; without it, that of the
#              release's checksums.txt
#   DOWNLOADS  the address of the releases
#   DIR        where the program is unpacked
set -euo pipefail
name="$1"
fail() {
  printf '::error title=Touchstone::%s\n' "$1" >&2
  exit 1
}
if [ -n "${PROGRAM:-}" ]; then
  [ -f "$PROGRAM" ] || fail "there is no program $PROGRAM: correct the input program"
  printf '%s\n' "$PROGRAM"
  exit
fi
[[ $VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || fail "$VERSION is not a version such as 0.1.0: correct the input version"
case "$(uname -s)" in
Linux) os=linux suffix=tar.gz ;;
Darwin) os=darwin suffix=tar.gz ;;
MINGW* | MSYS* | CYGWIN*) os=windows suffix=zip ;;
*) fail "there is no release for $(uname -s)" ;;
esac
case "$(uname -m)" in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) fail "there is no release for the processor $(uname -m)" ;;
esac
archive="${name}_${VERSION}_${os}_${arch}.${suffix}"
mkdir -p "$DIR"
fetch() { curl -fsSL --retry 3 --proto '=https,http' -o "$DIR/$1" "${DOWNLOADS%/}/v$VERSION/$1" || fail "cannot fetch ${DOWNLOADS%/}/v$VERSION/$1"; }
fetch "$archive"
want="${SHA256:-}"
if [ -z "$want" ]; then
  fetch checksums.txt
  want="$(awk -v name="$archive" '$2 == name { print $1 }' "$DIR/checksums.txt")"
fi
has="$( (sha256sum "$DIR/$archive" 2>/dev/null || shasum -a 256 "$DIR/$archive") | cut -d' ' -f1)"
if [ "$has" != "$want" ]; then
  rm -f "$DIR/$archive"
  fail "$archive has the SHA-256 digest $has, but ${want:-no digest} is expected"
fi
if [ "$suffix" = zip ]; then
  unzip -qo "$DIR/$archive" "$name.exe" -d "$DIR"
  printf '%s\n' "$DIR/$name.exe"
else
  tar -xzf "$DIR/$archive" -C "$DIR" "$name"
  printf '%s\n' "$DIR/$name"
fi
