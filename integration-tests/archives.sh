#!/usr/bin/env bash
# Shows, for each JDK, that commands and servers start from the archive that the launcher makes (a class-data archive, from
# JDK 24 on an AOT cache), that a damaged or foreign one breaks and says nothing, and that an installation that cannot be
# written works. Prints a line for each check; the first that fails ends the script with 1.
#
#   integration-tests/archives.sh [JDK...]      homes; default: JAVA_HOME, and those below /usr/lib/jvm and /opt/java
#
# The jars must have been built (./mvnw -DskipTests package). Takes about a minute for each JDK.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/cloudmw-archives-XXXXXX")
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
unset CLOUDMW_JAVA_OPTS CLOUDMW_NO_CDS JAVA_TOOL_OPTIONS
patience=300

fail() { # reason
  echo "FAILED  $*" >&2
  exit 1
}

major() { # JDK
  sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}

jdks() {
  local candidate
  for candidate in ${JAVA_HOME:-} /usr/lib/jvm/* /opt/java/*; do
    [ -x "$candidate/bin/java" ] && [ -r "$candidate/release" ] && [ "$(major "$candidate")" -ge 17 ] || continue
    (cd "$candidate" && pwd -P)
  done | sort -u
}

install() { # directory
  mkdir -p "$1/lib" "$1/cache"
  cp "$root/cloudmw" "$1/"
  cp "$root"/cloudmw-client/cli/target/cloudmw-cli-*-all.jar "$root"/cloudmw-helper/target/cloudmw-helper-*-all.jar "$1/lib/"
}

# Runs a command, whose output must be its own alone.
clean() { # arguments
  "$place/cloudmw" "$@" >"$work/out" 2>"$work/err" || fail "$jdk: $*: exit $?: $(cat "$work/err")"
  [ ! -s "$work/err" ] || fail "$jdk: $* says: $(cat "$work/err")"
  grep -q '^cloudmw ' "$work/out" || fail "$jdk: $* prints: $(cat "$work/out")"
}

await_archive() { # name of the jar
  local deadline=$((SECONDS + patience))
  until compgen -G "$place/cache/$1-*.for" >/dev/null && ! compgen -G "$place/cache/$1-*.lock" >/dev/null; do
    ! compgen -G "$place/cache/$1-*.failed" >/dev/null || fail "$jdk: $(cat "$place"/cache/"$1"-*.failed)"
    [ $SECONDS -lt $deadline ] || fail "$jdk: no archive of $1 after $patience s"
    sleep 0.2
  done
}

# Prints how many classes come out of the archive, where the JVM may not start without it.
shared() { # arguments
  CLOUDMW_JAVA_OPTS="$strict -Xlog:class+load" "$place/cloudmw" "$@" | grep -c 'shared objects file'
}

[ $# -gt 0 ] || mapfile -t found < <(jdks)
[ $# -gt 0 ] || set -- "${found[@]}"
for jdk in "$@"; do
  export JAVA_HOME=$jdk
  place=$work/$(basename "$jdk")
  strict=-Xshare:on
  [ "$(major "$jdk")" -lt 24 ] || strict=-XX:AOTMode=on
  install "$place"
  before=$SECONDS
  clean --version
  clean coordinator --version
  await_archive cloudmw-cli
  await_archive cloudmw-helper
  echo "ok      $jdk: both archives were made in $((SECONDS - before)) s"
  without=$(CLOUDMW_NO_CDS=1 CLOUDMW_JAVA_OPTS=-Xlog:class+load "$place/cloudmw" --version | grep -c 'shared objects file')
  client=$(shared --version)
  server=$(shared helper --version)
  [ "$client" -gt $((without + 100)) ] || fail "$jdk: $client classes out of the archive, $without without"
  echo "ok      $jdk: $client classes of a command come out of its archive, $server of a server; $without without"
  if [ "$(id -u)" -ne 0 ]; then # root may write everywhere
    mv "$place/cache" "$work/kept"
    mkdir "$place/cache"
    chmod -R a-w "$place"
    clean --version
    chmod -R u+w "$place"
    rmdir "$place/cache"
    mv "$work/kept" "$place/cache"
    echo "ok      $jdk: an installation that cannot be written works, without an archive"
  fi
  CLOUDMW_JAVA_OPTS=-XX:-UseCompressedOops clean --version
  echo "ok      $jdk: a JVM that refuses the archive starts without it, and says nothing"
  for archive in "$place"/cache/cloudmw-cli-*.jsa "$place"/cache/cloudmw-cli-*.aot; do
    [ -e "$archive" ] || continue
    # The length and the time stay, so that the launcher does not notice.
    touch -r "$archive" "$work/time"
    dd if=/dev/zero of="$archive" bs=4096 count=1 conv=notrunc status=none
    touch -r "$work/time" "$archive"
    clean --version
    truncate -s 100000 "$archive"
    clean --version
  done
  echo "ok      $jdk: a damaged archive breaks nothing, and nothing is said of it"
  await_archive cloudmw-cli
done
