#!/usr/bin/env bash
# Does "Rolling replacement" of docs/operations.md: replaces every process of a fleet by the next version, one after the
# other, while clients write and read all the time. Once by drain, as the units of the package do it, and once by SIGKILL.
# No operation may fail, and no byte may come to an application twice or not at all. Prints the times of operations
# before, during and after; exit code 1 says that an operation failed.
#
#   integration-tests/rolling.sh [--json FILE] [drain] [kill]      both, or those that are named
#
#   --json FILE     gets a line with the JSON object of each load
#   CLOUDMW_ROLLING_SEED      of the load (1)
#   CLOUDMW_ROLLING_SECONDS   before the first replacement, and again after the last (10; to measure, 25)
#   CLOUDMW_ROLLING_LOG       a directory that gets a line for each operation
#
# A fleet has 4 helpers with a disk each, 3 coordinators on one table of DynamoDB Local, and 8 clients (cloudmw bench
# load). It begins as the release before and ends as this build. processes.sh says where the jars come from.
set -euo pipefail

. "$(dirname "$0")/processes.sh"
json=
if [ "${1:-}" = --json ]; then
  json=$2
  shift 2
  : >"$json"
fi
ways=("$@")
[ ${#ways[@]} -gt 0 ] || ways=(drain kill)
seconds=${CLOUDMW_ROLLING_SECONDS:-10}

build_previous
build_this
"$root/cloudmw" bench load --help >/dev/null || fail "the lab has no command 'bench load': build it again"
begin_work
# The release before speaks plain text.
export CLOUDMW_TLS_INSECURE=true
# In a fleet each process has a machine of its own. Here the processors are shared: a JVM that starts, and the commands of
# an operator, must not take them from the others. So these run at the lowest priority, and a server gets its own when it
# is ready. Without root it keeps the lowest, which is worse.
export CLOUDMW_JAVA_OPTS=-XX:TieredStopAtLevel=1
gently="nice -n 19"
[ "$(id -u)" -eq 0 ] || gently=

# A start without the archive of classes takes twice the processor time, which the others lack meanwhile.
await_archives() {
  local version
  for version in old new; do
    cloudmw $version coordinator --version >/dev/null
    eventually archive_is_made "${launchers[$version]%/*}"
  done
}

archive_is_made() { # directory of a launcher
  local copy
  copy=$(ls -td "$1"/.run/cloudmw-helper-*/ | head -n 1)
  compgen -G "$copy*.for" >/dev/null || compgen -G "$copy*.failed" >/dev/null
}

# Gives a server the priority of this script, thread by thread.
usual_priority() { # name
  [ -n "$gently" ] || return 0
  # Words on purpose: the numbers of the threads.
  # shellcheck disable=SC2046
  renice -n "$(nice)" -p $(ls "/proc/$(cat "$work/pids/$1")/task") >/dev/null 2>&1 || true
}

coordinator() { # number, old or new, options
  serve "c$1" "$2" coordinator --listen "127.0.0.1:$((port + $1))" --data-dir "$fleet/c$1" --secret-file "$work/secret" \
    "${table[@]}" "${@:3}"
  usual_priority "c$1"
}

helper() { # number, old or new
  serve "h$1" "$2" helper --id "h$1" --disk "d$1=$fleet/d$1" --coordinator "$coordinators" --secret-file "$work/secret"
  usual_priority "h$1"
}

# Runs a step of the helper's unit.
unit_step() { # step, number of the helper
  mkdir -p "$fleet/state$2/helper"
  CLOUDMW_HELPER_ID=h$2 CLOUDMW_HELPER_COORDINATOR=$coordinators CLOUDMW_STATE=$fleet/state$2 CLOUDMW_STOP_DRAINS=yes \
    MAINPID=$(cat "$work/pids/h$2") $gently "$fleet/unit/unit-steps" "$1"
}

replace() { # way, coordinator or helper, number
  local before=$SECONDS name=${2:0:1}$3
  if [ "$1" = kill ]; then
    stop KILL "$name"
    "$2" "$3" new
  elif [ "$2" = coordinator ]; then
    stop TERM "$name"
    coordinator "$3" new
  else
    unit_step drain "$3"
    stop TERM "$name"
    helper "$3" new
    unit_step undrain "$3"
  fi
  echo "$name replaced in $((SECONDS - before)) s"
}

# Begins a phase of the load, and waits until the load knows it.
phase() { # name
  echo "$1" >&8
  eventually grep -q "^phase $1\$" "$fleet/load.err"
}

start_fleet() { # way
  local number
  fleet=$work/$1
  mkdir -p "$fleet/unit"
  cp "$root/cloudmw-dist/src/unit-steps" "$fleet/unit/"
  ln -s "$root/cloudmw" "$fleet/unit/cloudmw"
  start_dynamodb
  port=$(free_ports 4)
  coordinators=127.0.0.1:$((port + 1)),127.0.0.1:$((port + 2)),127.0.0.1:$((port + 3))
  coordinator 1 old -D coordinator.catalog-create=true
  coordinator 2 old
  coordinator 3 old
  for number in 1 2 3 4; do helper "$number" old; done
  cloudmw old volume create v --chunk-size 512KiB --replicas 3 --store d1,d2,d3,d4 --coordinator "$coordinators" >/dev/null
}

start_load() {
  mkfifo "$fleet/phases"
  CLOUDMW_JAVA_OPTS='' "$root/cloudmw" bench load v --clients 8 --size 1MiB --pause 300ms --seed "${CLOUDMW_ROLLING_SEED:-1}" --json \
    ${CLOUDMW_ROLLING_LOG:+--log "$CLOUDMW_ROLLING_LOG/$1.log"} --coordinator "$coordinators" \
    <"$fleet/phases" >"$fleet/load.out" 2>"$fleet/load.err" &
  echo $! >"$work/pids/load"
  load=$!
  exec 8>"$fleet/phases"
  eventually grep -q '^ready' "$fleet/load.err"
}

run() { # way
  local number status=0
  start_fleet "$1"
  start_load "$1"
  # Until the JVMs have compiled what they use.
  sleep $((seconds + 10))
  phase before
  sleep "$seconds"
  phase "$1"
  for number in 1 2 3; do replace "$1" coordinator "$number"; done
  for number in 1 2 3 4; do replace "$1" helper "$number"; done
  phase after
  sleep "$seconds"
  exec 8>&-
  wait "$load" || status=$?
  rm "$work/pids/load"
  cat "$fleet/load.err"
  [ -z "$json" ] || tail -n 1 "$fleet/load.out" >>"$json"
  stop_all TERM
  return "$status"
}

await_archives
failures=0
for way in "${ways[@]}"; do
  before=$SECONDS
  set +e
  (
    trap - EXIT
    set -e
    run "$way"
  )
  status=$?
  set -e
  if [ "$status" -eq 0 ]; then
    printf 'ok      %-8s %3d s  load average%s\n' "$way" $((SECONDS - before)) "$(uptime | sed 's/.*average://')"
  else
    failures=$((failures + 1))
    printf 'FAILED  %-8s %3d s\n' "$way" $((SECONDS - before))
    tail -n 20 "$work/$way"/load.err "$work"/*.err 2>/dev/null | sed 's/^/        /' || true
    stop_all KILL
  fi
done
[ "$failures" -eq 0 ]
