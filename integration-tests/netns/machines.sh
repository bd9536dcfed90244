#!/bin/sh
# Runs the commands of a Markdown section on three machines, which are network namespaces of this machine.
#
#   machines.sh [FILE.md [HEADING]]      (default: docs/operate.md "Three machines")
#
# A code block of the section whose first line is "# on 10.0.0.N" runs on machine N in the root of the project, as a shell
# script that ends at the first failure. Machine N has the addresses 10.0.0.N and fd00::N and its own home directory;
# "scp HOST:FILE TARGET" copies from the home directory of HOST. A command that ends with "&" runs until the end of the
# run, and the next block waits for its output line that begins with "ready". The script prints every block with its
# output. A bridge in a fourth namespace connects the machines; this machine's own network is not changed.
#
# Needs root, or user namespaces for ordinary users; also iproute2 and util-linux. Exit codes: 0 every block succeeded,
# 1 a block failed, 2 usage, 77 network namespaces cannot be made (a line on standard error has the reason).
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
file=${1:-$root/docs/operate.md}
heading=${2:-Three machines}
machines="1 2 3"

die() { # exit code, message
  echo "machines.sh: $2" >&2
  exit "$1"
}

[ -r "$file" ] || die 2 "cannot read $file"

# Runs this script again in its own namespaces: their network vanishes with their last process.
enter() {
  for tool in ip unshare nsenter setsid mkfifo; do
    command -v "$tool" >/dev/null || die 77 "no network namespaces here: no $tool found (iproute2, util-linux)"
  done
  user=
  [ "$(id -u)" -eq 0 ] || user="--user --map-root-user"
  # Unquoted on purpose: the options are separated by spaces.
  # shellcheck disable=SC2086
  why=$(unshare $user --net sh -c 'ip link set lo up && ip link add br0 type bridge \
    && unshare --net true && ip link add port0 type veth peer name eth0' 2>&1) \
    || die 77 "no network namespaces here: $(printf '%s' "$why" | tail -n 1)"
  # shellcheck disable=SC2086
  CLOUDMW_MACHINES_INSIDE=1 exec unshare $user --net "$0" "$file" "$heading"
}

[ -n "${CLOUDMW_MACHINES_INSIDE:-}" ] || enter
unset CLOUDMW_MACHINES_INSIDE

work=$(mktemp -d "${TMPDIR:-/tmp}/cloudmw-machines-XXXXXX")
groups=

leave() {
  trap '' INT TERM HUP
  for group in $groups; do
    kill -s TERM -- "-$group" 2>/dev/null || true
  done
  tries=0
  for group in $groups; do
    while kill -s 0 -- "-$group" 2>/dev/null && [ "$tries" -lt 300 ]; do
      tries=$((tries + 1))
      sleep 0.1
    done
    kill -s KILL -- "-$group" 2>/dev/null || true
  done
  exec 8>&-
  rm -rf "$work"
}

trap leave EXIT
# A shell killed by a signal runs no EXIT trap, so a signal makes the script exit by itself.
trap 'exit 130' INT
trap 'exit 143' TERM HUP

on() { # machine, command
  name=$1
  shift
  eval "holder=\$holder_$name"
  nsenter --target "$holder" --net -- "$@"
}

set_up() {
  mkfifo "$work/alive"
  exec 8<>"$work/alive"
  ip link set lo up
  ip link add br0 type bridge
  ip link set br0 up
  for n in $machines; do
    # The namespace lives as long as this process, which ends with this script.
    setsid unshare --net sh -c 'echo >"$1"; read -r _' sh "$work/made-$n" <"$work/alive" 8>&- &
    eval "holder_$n=$!"
    groups="$groups $!"
    tries=0
    until [ -e "$work/made-$n" ]; do
      tries=$((tries + 1))
      [ "$tries" -lt 300 ] || die 1 "machine $n was not made"
      sleep 0.1
    done
    eval "holder=\$holder_$n"
    ip link add "port$n" type veth peer name eth0 netns "$holder"
    ip link set "port$n" master br0 up
    on "$n" ip link set lo up
    on "$n" ip addr add "10.0.0.$n/24" dev eth0
    on "$n" ip addr add "fd00::$n/64" dev eth0 nodad
    on "$n" ip link set eth0 up
    mkdir -p "$work/10.0.0.$n"
  done
}

copy_between_homes() {
  mkdir "$work/bin"
  cat >"$work/bin/scp" <<'SCRIPT'
#!/bin/sh
# scp HOST:FILE TARGET, between the home directories of machines.
set -eu
exec cp -p "$CLOUDMW_MACHINES_HOMES/${1%%:*}/${1#*:}" "$2"
SCRIPT
  chmod +x "$work/bin/scp"
}

# Writes each code block of the section to a file block-K, and its machine to a file where-K.
blocks() {
  awk -v heading="## $heading" -v work="$work" '
    /^## / { inside = ($0 == heading); next }
    !inside { next }
    /^```/ { open = !open; fresh = open; at = ""; next }
    open && fresh { fresh = 0; if ($0 ~ /^# on 10\.0\.0\.[123]$/) {
        at = $3; k++; print at > (work "/where-" k); printf "" > (work "/block-" k); next } }
    open && at != "" { print > (work "/block-" k) }
    END { print k + 0 }' "$file"
}

run_block() { # number
  at=$(cat "$work/where-$1")
  out=$work/out-$1
  : >"$out"
  echo "== on $at"
  sed 's/^/   /' "$work/block-$1"
  eval "holder=\$holder_${at##*.}"
  # Background processes of a block are in its process group. A JVM needs user.home, since it ignores HOME.
  (cd "$root" && PATH=$work/bin:$PATH CLOUDMW_MACHINES_HOMES=$work HOME=$work/$at \
    CLOUDMW_JAVA_OPTS="${CLOUDMW_JAVA_OPTS:-} -Duser.home=$work/$at" exec setsid \
    nsenter --target "$holder" --net -- sh -eu "$work/block-$1") >"$out" 2>&1 </dev/null 8>&- &
  group=$!
  groups="$groups $group"
  failed=0
  wait "$group" || failed=$?
  [ "$failed" -ne 0 ] || await_ready "$(grep -c '&$' "$work/block-$1" || true)" "$out" "$group" || failed=$?
  cat "$out"
  [ "$failed" -eq 0 ] || die 1 "failed on $at (exit code $failed)"
}

await_ready() { # lines, file, process group
  tries=0
  while [ "$(grep -c '^ready ' "$2")" -lt "$1" ]; do
    kill -s 0 -- "-$3" 2>/dev/null || return 1
    tries=$((tries + 1))
    [ "$tries" -lt 1200 ] || return 1
    sleep 0.1
  done
}

set_up
copy_between_homes
count=$(blocks)
[ "$count" -gt 0 ] || die 2 "$file: no block that begins with \"# on 10.0.0.N\" below \"## $heading\""
k=1
while [ "$k" -le "$count" ]; do
  run_block "$k"
  k=$((k + 1))
done
echo "three machines: $count blocks succeeded"
