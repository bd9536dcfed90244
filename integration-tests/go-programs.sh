# Functions for scripts that need programs written in Go. Sourced by first-contact.sh and ordinary.sh, which set root. Each
# version of a program is built once, in the directory where the integration tests keep theirs.

go_programs=$root/integration-tests/target/s3-servers

# Sets CLOUDMW_VERSITYGW to the S3 server that the integration tests have built, too.
find_versitygw() {
  local version
  version=$(sed -n 's/.* VERSION = "\(v[^"]*\)".*/\1/p' \
    "$root/integration-tests/src/test/java/io/cloudmw/it/s3/Versitygw.java")
  : "${CLOUDMW_VERSITYGW:=$go_programs/versitygw-$version}"
  build_go_program "$CLOUDMW_VERSITYGW" versitygw "github.com/versity/versitygw/cmd/versitygw@$version"
}

build_go_program() { # path, name, package and version
  local go
  [ -x "$1" ] && return
  go=$(PATH=$PATH:/usr/local/go/bin command -v go) || { echo "${0##*/}: no go found (https://go.dev/dl)" >&2; exit 2; }
  mkdir -p "${1%/*}"
  GOBIN=$1.build "$go" install "$3"
  mv "$1.build/$2" "$1"
}
