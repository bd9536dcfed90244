#!/usr/bin/env bash
# Runs the release before and this build against each other, as processes: reads and writes with either client at either
# fleet, with helpers of both, with coordinators of both on one catalog, and data of the release before in this build.
# Prints a line for each mix; when one fails, prints its log and exits with 1.
#
#   integration-tests/versions.sh [MIX...]     all mixes, or those whose names are given (--list prints the names)
#
# The coordinators share a catalog in DynamoDB Local. processes.sh says where the jars come from.
set -euo pipefail

. "$(dirname "$0")/processes.sh"
mixes=(old-client new-client mixed-helpers mixed-coordinators old-data)

case ${1:-} in
  --list)
    printf '%s\n' "${mixes[@]}"
    exit 0
    ;;
esac

build_previous
build_this
begin_work
# The release before speaks plain text.
export CLOUDMW_TLS_INSECURE=true
log=$work/log

coordinator() { # name, old or new, options
  serve "$1" "$2" coordinator --listen 127.0.0.1:0 --secret-file "$work/secret" "${@:3}"
  address=$(sed -n 's/^ready.* address=\([^ ]*\).*/\1/p' "$work/$1.out")
}

helper() { # number, old or new: a helper with a disk
  serve "h$1" "$2" helper --id "h$1" --disk "d$1=$mix/d$1" --coordinator "$address" --secret-file "$work/secret"
}

volume() { # old or new
  cloudmw "$1" volume create v --chunk-size 2MiB --replicas 2 --store d1 --store d2 --coordinator "$address"
}

# Writes a file and appends to it with one version, and reads it with the other, in the modes in which helpers compete.
write_and_read() { # writer, reader
  local mode
  cloudmw "$1" put -q "$work/a" "v:/by-$1" --coordinator "$address"
  cloudmw "$1" append -q "$work/b" "v:/by-$1" --coordinator "$address"
  for mode in cooperative rounds; do
    cloudmw "$2" get -q "v:/by-$1" "$work/back" --mode $mode --coordinator "$address"
    cmp "$work/back" "$work/ab"
  done
  cloudmw "$2" ls v:/ --coordinator "$address" | grep -q "by-$1"
}

mix_old_client() {
  coordinator c new --data-dir "$mix/c"
  helper 1 new
  helper 2 new
  volume old
  write_and_read old old
  write_and_read new old
}

mix_new_client() {
  coordinator c old --data-dir "$mix/c"
  helper 1 old
  helper 2 old
  volume new
  write_and_read new new
  write_and_read old new
}

# Both orders of a rolling upgrade: the coordinator first, or a helper.
mix_mixed_helpers() {
  local version
  for version in new old; do
    mkdir "$mix/$version"
    coordinator c $version --data-dir "$mix/$version/c"
    helper 1 old
    helper 2 new
    volume new
    write_and_read old new
    write_and_read new old
    stop_all TERM
    rm -r "$mix/d1" "$mix/d2"
  done
}

mix_mixed_coordinators() {
  local endpoint old new
  start_dynamodb
  coordinator c1 old --data-dir "$mix/c1" "${table[@]}" -D coordinator.catalog-create=true
  old=$address
  coordinator c2 new --data-dir "$mix/c2" "${table[@]}"
  new=$address
  address=$old,$new
  helper 1 old
  helper 2 new
  address=$old
  volume new
  for address in "$old" "$new"; do
    cloudmw new put -q "$work/a" "v:/at-$address" --coordinator "$address"
  done
  address=$new
  write_and_read old new
  address=$old
  write_and_read new old
  for address in "$old" "$new"; do
    for file in "$old" "$new"; do
      cloudmw old get -q "v:/at-$file" "$work/back" --coordinator "$address"
      cmp "$work/back" "$work/a"
    done
  done
}

mix_old_data() {
  coordinator c old --data-dir "$mix/c"
  helper 1 old
  helper 2 old
  volume old
  write_and_read old old
  stop_all TERM
  coordinator c new --data-dir "$mix/c"
  helper 1 new
  helper 2 new
  cloudmw new get -q v:/by-old "$work/back" --coordinator "$address"
  cmp "$work/back" "$work/ab"
  write_and_read new new
}

head -c $((9 * 1048576 + 17)) /dev/urandom >"$work/a"
head -c 1048577 /dev/urandom >"$work/b"
cat "$work/a" "$work/b" >"$work/ab"

failures=0
[ $# -eq 0 ] || mixes=("$@")
for name in "${mixes[@]}"; do
  before=$SECONDS
  mix=$work/$name
  mkdir "$mix"
  # In a condition the option -e has no effect, so the status is tested afterwards.
  set +e
  (
    trap - EXIT
    set -ex
    "mix_${name//-/_}"
    stop_all TERM
  ) >"$log" 2>&1
  status=$?
  set -e
  if [ "$status" -eq 0 ]; then
    printf 'ok      %-20s %3d s\n' "$name" $((SECONDS - before))
  else
    failures=$((failures + 1))
    printf 'FAILED  %-20s %3d s\n' "$name" $((SECONDS - before))
    tail -n 60 "$log" | sed 's/^/        /'
    tail -n 10 "$work"/*.err 2>/dev/null | sed 's/^/        /' || true
    stop_all KILL
  fi
  rm -f "$work"/*.err
  rm -rf "$mix"
done
[ "$failures" -eq 0 ]
