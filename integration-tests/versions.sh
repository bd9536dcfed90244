#!/usr/bin/env bash
# Runs the release before and this build against each other, as processes: reads and writes with either client at either
# fleet, with helpers of both, with coordinators of both on one catalog, and data of the release before in this build.
# Prints a line for each mix; when one fails, prints its log and exits with 1.
#
#   integration-tests/versions.sh [MIX...]     all mixes, or those whose names are given (--list prints the names)
#
# The file previous-release names the commit of the release before. Its jars are built once, from the Git history of this
# repository, and kept below target. Those of this build are the ones that the launcher finds, or makes. The coordinators
# share a catalog in DynamoDB Local. Needs Linux on x86-64.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
mixes=(old-client new-client mixed-helpers mixed-coordinators old-data)
# Deadlines only detect hanging commands, so they are generous for slow machines.
patience=300

case ${1:-} in
  --list)
    printf '%s\n' "${mixes[@]}"
    exit 0
    ;;
esac

commit=$(cat "$root/integration-tests/previous-release")
previous=$root/integration-tests/target/previous-release/$commit

# Builds the jars of the release before in a directory of its own.
build_previous() {
  local before=$SECONDS log=$previous.log
  [ -x "$previous/cloudmw" ] && return
  git -C "$root" cat-file -e "$commit^{commit}" 2>/dev/null \
    || { echo "versions.sh: commit $commit is missing: fetch the history (git fetch --unshallow)" >&2; exit 2; }
  rm -rf "$previous" "$previous.sources"
  mkdir -p "$previous.sources" "$previous.new/lib"
  git -C "$root" archive "$commit" | tar -x -C "$previous.sources"
  (cd "$previous.sources" && ./mvnw -B -ntp -q -DskipTests -Dspotless.check.skip=true \
    -pl cloudmw-client/cli,cloudmw-helper -am package) >"$log" 2>&1 \
    || { cat "$log"; echo "versions.sh: $commit does not build" >&2; exit 1; }
  cp "$previous.sources"/cloudmw-client/cli/target/cloudmw-cli-*-all.jar \
    "$previous.sources"/cloudmw-helper/target/cloudmw-helper-*-all.jar "$previous.new/lib/"
  cp "$previous.sources/cloudmw" "$previous.new/"
  mv "$previous.new" "$previous"
  rm -rf "$previous.sources"
  echo "built ${commit:0:8} in $((SECONDS - before)) s"
}

build_previous
"$root/cloudmw" --version >/dev/null
"$root/cloudmw" coordinator --version >/dev/null
libraries=$root/integration-tests/dynamodb-local/target/jars
ls "$libraries"/DynamoDBLocal-*.jar >/dev/null 2>&1 || (cd "$root" && ./mvnw -B -ntp -q -pl integration-tests/dynamodb-local generate-test-resources)

work=$(mktemp -d "${TMPDIR:-/tmp}/cloudmw-versions-XXXXXX")
export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_EC2_METADATA_DISABLED=true
# Notes of puts, and what peers keep.
export XDG_STATE_HOME=$work/state XDG_CACHE_HOME=$work/cache
unset CLOUDMW_COORDINATOR
log=$work/log
mkdir "$work/pids"

stop_all() { # signal
  local file pid
  for file in "$work"/pids/*; do
    [ -e "$file" ] || continue
    pid=$(cat "$file")
    kill "-$1" "$pid" 2>/dev/null || true
    wait_for_end "$pid"
    rm "$file"
  done
}

wait_for_end() { # pid
  local deadline=$((SECONDS + patience))
  while [ -d "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; do
    [ $SECONDS -lt $deadline ] || { echo "process $1 still runs after $patience s"; return 1; }
    sleep 0.1
  done
}

finish() {
  stop_all KILL
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

fail() { # reason
  echo "$*"
  exit 1
}

# The launcher of each version.
declare -A launchers=([old]=$previous/cloudmw [new]=$root/cloudmw)

cloudmw() { # old or new, arguments
  "${launchers[$1]}" "${@:2}"
}

# Starts a server and waits until it says "ready".
serve() { # name, old or new, arguments
  local name=$1 deadline=$((SECONDS + patience))
  : >"$work/$name.out"
  # Not by a function: its shell would be the process that is stopped.
  "${launchers[$2]}" "${@:3}" >"$work/$name.out" 2>>"$work/$name.err" &
  echo $! >"$work/pids/$name"
  until grep -q '^ready' "$work/$name.out"; do
    kill -0 "$(cat "$work/pids/$name")" 2>/dev/null || fail "$name ended: $(tail -n 5 "$work/$name.err")"
    [ $SECONDS -lt $deadline ] || fail "$name is not ready after $patience s"
    sleep 0.1
  done
}

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

start_dynamodb() {
  local port deadline=$((SECONDS + patience))
  port=$((20000 + RANDOM % 10000))
  "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Xmx256m -XX:+UseSerialGC "-Djava.library.path=$libraries" -cp "$libraries/*" \
    com.amazonaws.services.dynamodbv2.local.main.ServerRunner -inMemory -disableTelemetry -port $port \
    >"$work/dynamodb.out" 2>&1 &
  echo $! >"$work/pids/dynamodb"
  until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
    kill -0 "$(cat "$work/pids/dynamodb")" 2>/dev/null || fail "DynamoDB Local ended: $(cat "$work/dynamodb.out")"
    [ $SECONDS -lt $deadline ] || fail "DynamoDB Local is not ready after $patience s"
    sleep 0.2
  done
  table=(--catalog dynamodb:versions -D coordinator.catalog-region=eu-west-1
    -D "coordinator.catalog-endpoint=http://127.0.0.1:$port")
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
