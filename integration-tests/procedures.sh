#!/usr/bin/env bash
# Does the procedures of docs/operations.md on a fleet of this machine: runs the commands of the page's blocks, and checks
# that they have done what the page says. Prints a line for each procedure; when one fails, prints its log and exits with
# 1.
#
#   integration-tests/procedures.sh [PROCEDURE...]   all, or those whose names are given (--list prints the names)
#
# The machines c1, c2 and h1 to h4 are directories, which stand for their roots. Small scripts stand for systemctl, scp,
# install and runuser; package.sh tests the units themselves. Rolling replacement is in rolling.sh; first-contact.sh does
# the procedures for buckets. Without the right to mount a file system, the procedure full-disk says so and is left out,
# or fails where CLOUDMW_REQUIRE_MOUNT is set.
set -euo pipefail

. "$(dirname "$0")/processes.sh"
page=$root/docs/operations.md
procedures=(dead-disk lost-coordinator rotation-of-secrets a-new-authority full-disk growing-a-volume)

case ${1:-} in
  --list)
    printf '%s\n' "${procedures[@]}"
    exit 0
    ;;
esac

build_this
begin_work
log=$work/log
small=$work/h1/var/lib/cloudmw/helper/d1
# Of certificates, in seconds.
life=20

finish() {
  stop_all KILL
  wait 2>/dev/null || true
  ! mountpoint -q "$small" || umount "$small"
  rm -rf "$work"
}

# Prints the commands of the blocks below a heading whose first line is "# on MACHINE" or the like.
block() { # heading, first line without "# "
  awk -v heading="## $1" -v first="# $2" '
    $0 == heading { inside = 1; next }
    /^## / { inside = 0 }
    !inside { next }
    /^```/ { open = !open; fresh = open; wanted = 0; next }
    open && fresh { fresh = 0; wanted = $0 == first; found = found || wanted; next }
    open && wanted
    END { exit !found }' "$page" || fail "docs/operations.md has no block \"# $2\" below \"## $1\""
}

# Runs commands of the page on a machine.
on() { # machine, commands
  local commands=$2
  commands=$(sed "s|/var/lib/cloudmw|$work/$1&|g; s|/etc/cloudmw|$work/$1&|g; s|/root/|$work/$1&|g; s|c1:$work/$1/|c1:/|g
    s|sleep 10|sleep 4|" <<<"$commands")
  echo "== on $1: $commands"
  MACHINE=$1 PATH=$work/bin:$PATH CLOUDMW_COORDINATOR=$coordinators bash -euo pipefail -c "$commands"
}

stand_ins() {
  mkdir "$work/bin"
  ln -s "$root/cloudmw" "$work/bin/cloudmw"
  cat >"$work/bin/systemctl" <<SCRIPT
#!/bin/bash
# Asks the script to start or stop the process of a unit, and waits for the answer.
set -euo pipefail
[ "\$1" != enable ] || { shift; [ "\$1" != --now ] || shift; set -- start "\$@"; }
echo "\$1 \$MACHINE \${2#cloudmw-}" >"$work/orders"
read -r answer <"$work/answers"
[ "\$answer" = done ] || { echo "\$answer" >&2; exit 1; }
SCRIPT
  cat >"$work/bin/scp" <<SCRIPT
#!/bin/bash
exec cp -p "$work/\${1%%:*}\${1#*:}" "\$2"
SCRIPT
  # The user cloudmw is not known here.
  cat >"$work/bin/install" <<'SCRIPT'
#!/bin/bash
set -euo pipefail
arguments=()
while [ $# -gt 0 ]; do
  case $1 in
    -o | -g) shift ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
exec /usr/bin/install "${arguments[@]}"
SCRIPT
  cat >"$work/bin/runuser" <<'SCRIPT'
#!/bin/bash
while [ "$1" != -- ]; do shift; done
exec "${@:2}"
SCRIPT
  chmod +x "$work"/bin/{systemctl,scp,install,runuser}
  mkfifo "$work/orders" "$work/answers"
}

# Does what systemctl is asked for. A unit that the machine does not have is no failure, as the page restarts both.
obey() {
  local verb machine unit
  while read -r verb machine unit <"$work/orders"; do
    if [ -e "$work/$machine/etc/cloudmw/$unit.properties" ]; then
      # In a shell of its own, which a process that does not start ends.
      (
        case $verb in
          stop) stop TERM "$machine" ;;
          start) start_unit "$machine" "$unit" ;;
          try-restart)
            stop TERM "$machine"
            start_unit "$machine" "$unit"
            ;;
        esac
      ) >>"$log" 2>&1 || { echo "$verb of $unit on $machine failed" >"$work/answers"; continue; }
    fi
    echo done >"$work/answers"
  done
}

start_unit() { # machine, unit
  serve "$1" new "$2" --config "$work/$1/etc/cloudmw/$2.properties"
}

machine() { # name, unit, lines of its properties
  mkdir -p "$work/$1/etc/cloudmw" "$work/$1/var/lib/cloudmw/helper" "$work/$1/root"
  printf '%s\n' "cluster.secret-file=$work/$1/var/lib/cloudmw/cluster.secret" "${@:3}" \
    >"$work/$1/etc/cloudmw/$2.properties"
}

coordinator_machine() { # number
  machine "c$1" coordinator "coordinator.listen=127.0.0.1:$((port + $1))" \
    "coordinator.data-dir=$work/c$1/var/lib/cloudmw/coordinator" coordinator.catalog=dynamodb:procedures \
    coordinator.catalog-create=true "${table_settings[@]}" coordinator.repair-interval=1s \
    "tls.certificate-life=${life}s" "tls.authority=$work/c$1/var/lib/cloudmw/authority.pem" "tls.admin-token-file=$work/c$1/var/lib/cloudmw/admin.token"
}

helper_machine() { # number
  machine "h$1" helper "helper.id=h$1" "helper.disk.d$1.path=$work/h$1/var/lib/cloudmw/helper/d$1" \
    "helper.disk.d$1.reserve=8MiB" "helper.coordinator=$coordinators" \
    "helper.spool.dir=$work/h$1/var/lib/cloudmw/helper/spool"
}

start_fleet() {
  local number
  stand_ins
  start_dynamodb
  table_settings=("${table[3]}" "${table[5]}")
  port=$(free_ports 3)
  coordinators=127.0.0.1:$((port + 1)),127.0.0.1:$((port + 2))
  for number in 1 2; do coordinator_machine $number; done
  for number in 1 2 3 4; do helper_machine $number; done
  start_unit c1 coordinator
  for number in c2 h1 h2 h3; do
    cp "$work/c1/var/lib/cloudmw/cluster.secret" "$work/$number/var/lib/cloudmw/"
  done
  cp "$work"/c1/var/lib/cloudmw/{authority.pem,admin.token} "$work/c2/var/lib/cloudmw/"
  export CLOUDMW_TOKEN_FILE=$work/c1/var/lib/cloudmw/admin.token
  start_unit c2 coordinator
  # One helper has a disk with little room, for the procedure of full disks.
  mkdir -p "$small"
  mount -t tmpfs -o size=64m cloudmw-test "$small" 2>/dev/null || true
  for number in 1 2 3; do start_unit "h$number" helper; done
  export CLOUDMW_COORDINATOR=$coordinators
  "$root/cloudmw" volume create files --chunk-size 1MiB --replicas 2 --store d1,d2,d3
  head -c 12582929 /dev/urandom >"$work/a"
  "$root/cloudmw" put -q "$work/a" files:/a
}

same() { # file of a volume
  rm -f "$work/back"
  "$root/cloudmw" get -q "$1" "$work/back" && cmp "$work/back" "$work/a"
}

status_has() { # words of the JSON object
  "$root/cloudmw" status --json | tail -n 1 >"$work/status"
  grep -q -- "$1" "$work/status"
}

copies_are_complete() {
  status_has '"under_replicated":0' && grep -q '"counted":true' "$work/status"
}

do_dead_disk() {
  stop KILL h3
  rm -rf "$work/h3/var/lib/cloudmw/helper/d3"
  start_unit_of_dead_disk_is_refused
  # The unit has ended by itself.
  on h3 "$(block "A dead disk" "on h3" | grep -v 'systemctl stop')"
  on anywhere "$(block "A dead disk" anywhere)"
  eventually copies_are_complete
  [ -n "$(find "$work/h3/var/lib/cloudmw/helper/d3" -type f -size 1M)" ] || fail "no copy on the new disk"
  same files:/a
}

start_unit_of_dead_disk_is_refused() {
  local code=0
  timeout "$patience" "$root/cloudmw" helper --config "$work/h3/etc/cloudmw/helper.properties" || code=$?
  [ "$code" -eq 7 ] || fail "exit $code (expected 7): the helper took an empty disk"
}

do_lost_coordinator() {
  stop KILL c2
  rm -rf "$work/c2/var/lib/cloudmw"
  same files:/a
  mkdir -p "$work/c2/var/lib/cloudmw"
  on c2 "$(block "A lost coordinator" "on c2")"
  CLOUDMW_COORDINATOR=127.0.0.1:$((port + 2)) same files:/a
}

# Starts clients that put and get until end_load.
begin_load() {
  rm -f "$work/phases"
  mkfifo "$work/phases"
  "$root/cloudmw" bench load files --clients 2 --size 256KiB --pause 100ms <"$work/phases" >"$work/load.out" 2>&1 &
  load=$!
  exec 8>"$work/phases"
  eventually grep -q '^ready' "$work/load.out"
}

# Ends the clients; none of their operations may have failed.
end_load() { # when
  local status=0
  exec 8>&-
  wait "$load" || status=$?
  cat "$work/load.out"
  [ "$status" -eq 0 ] || fail "an operation failed $1"
}

# Clients put and get all the time, and each round ends when all processes have restarted.
do_rotation_of_secrets() {
  local round name status=0 heading="Rotation of secrets" secret=$work/c1/var/lib/cloudmw/cluster.secret
  cp "$secret" "$work/former"
  begin_load
  for round in 1 2 3; do
    on c1 "$(block "$heading" "on c1, round $round")"
    for name in c2 h1 h2 h3; do on "$name" "$(block "$heading" "on every other machine, in each round")"; done
    for name in c1 c2 h1 h2 h3; do on "$name" "$(block "$heading" "on every machine, one after the other")"; done
  done
  end_load "during the rotation"
  [ "$(wc -l <"$secret")" -eq 1 ] || fail "the file has not one key: $(wc -l <"$secret") lines"
  ! cmp -s "$secret" "$work/former" || fail "the key is the former one"
  # A helper that still has the former key is refused.
  cp "$work/former" "$work/h3/former"
  stop TERM h3
  timeout "$patience" "$root/cloudmw" helper --config "$work/h3/etc/cloudmw/helper.properties" \
    --secret-file "$work/h3/former" || status=$?
  [ "$status" -eq 8 ] || fail "exit $status (expected 8): a helper with the former key"
  start_unit h3 helper
}

# Clients put and get all the time, and between two steps all certificates are renewed.
do_a_new_authority() {
  local step heading="A new authority" file=$work/c1/var/lib/cloudmw/authority.pem
  cp "$file" "$work/former-authority"
  begin_load
  for step in 1 2 3; do
    on c1 "$(block "$heading" "on c1, step $step")"
    on c2 "$(block "$heading" "on c2, after each step")"
    sleep $((life + 5))
  done
  end_load "while the authority was replaced"
  [ "$("$root/cloudmw" authority show "$file" | wc -l)" -eq 1 ] || fail "more than one authority is trusted"
  ! cmp -s "$file" "$work/former-authority" || fail "the authority is the former one"
  # Commands start with the administrator's token, which names the new authority.
  same files:/a
}

do_full_disk() {
  if ! mountpoint -q "$small"; then
    [ -z "${CLOUDMW_REQUIRE_MOUNT:-}" ] || fail "no file system can be mounted here, and CLOUDMW_REQUIRE_MOUNT is set"
    say "left out: no file system can be mounted here"
    return
  fi
  "$root/cloudmw" volume create narrow --chunk-size 1MiB --replicas 1 --store d1
  head -c $((60 << 20)) /dev/zero >"$work/much"
  ! timeout 30 "$root/cloudmw" put -q "$work/much" narrow:/much || fail "60 MiB fit into a disk of 64 MiB with a reserve"
  head -c $((40 << 20)) "$work/much" | "$root/cloudmw" put -q - files:/old/much
  same files:/a
  # A volume with this store alone would forbid its drain.
  "$root/cloudmw" volume rm narrow --force --yes
  on anywhere "$(block "A full disk" anywhere)"
  eventually status_has '"id":"d1"[^}]*"copies_left":0[,}]'
  on anywhere "$(block "A full disk" "anywhere, when no copies are left in d1")"
  same files:/a
}

do_growing_a_volume() {
  on h4 "$(block "Growing a volume" "on h4")"
  on anywhere "$(block "Growing a volume" anywhere)"
  "$root/cloudmw" put -q "$work/a" files:/b
  "$root/cloudmw" put -q "$work/a" files:/c
  [ -n "$(find "$work/h4/var/lib/cloudmw/helper/d4" -type f -size 1M)" ] || fail "no copy on the new disk"
  same files:/c
  "$root/cloudmw" volume set files --replicas 3
  eventually copies_are_complete
}

say() {
  printf '%s' "$*" >"$work/said"
}

start_fleet >"$log" 2>&1 || { cat "$log"; exit 1; }
obey &
echo $! >"$work/pids/obey"
disown $!
failures=0
[ $# -eq 0 ] || procedures=("$@")
for name in "${procedures[@]}"; do
  before=$SECONDS
  : >"$log"
  : >"$work/said"
  # In a condition the option -e has no effect, so the status is tested afterwards.
  set +e
  (
    trap - EXIT
    set -e
    "do_${name//-/_}"
  ) >>"$log" 2>&1
  status=$?
  set -e
  if [ "$status" -eq 0 ]; then
    printf 'ok      %-20s %3d s  %s\n' "$name" $((SECONDS - before)) "$(cat "$work/said")"
  else
    failures=$((failures + 1))
    printf 'FAILED  %-20s %3d s\n' "$name" $((SECONDS - before))
    tail -n 60 "$log" | sed 's/^/        /'
    tail -n 10 "$work"/*.err 2>/dev/null | sed 's/^/        /' || true
  fi
done
[ "$failures" -eq 0 ]
