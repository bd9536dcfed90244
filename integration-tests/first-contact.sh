#!/usr/bin/env bash
# First contact: follows README.md, docs/operate.md and parts of docs/operations.md step by step on machines and S3
# servers without CloudMW. Prints a line for each check.
#
#   integration-tests/first-contact.sh [CHECK...]      all checks, or those whose names are given (--list prints the names)
#
# The three machines are network namespaces (hosts.sh), and a versitygw has the buckets. Needs Linux, root, iproute2 and
# Go, which builds the versitygw once. Builds the jars when they are missing. Looks for JDKs in JAVA_HOME, the PATH,
# /usr/lib/jvm and CLOUDMW_TEST_JDKS (paths, separated by ':'). CLOUDMW_REQUIRE_JDKS ("17 25") lists releases whose absence
# is a failure. When a check fails, prints its log and exits with 1. Deletes all files and processes at the end.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cloudmw=$root/cloudmw
# The hosts of hosts.sh. Host 0 is the client's machine and runs the S3 server.
client_host=10.217.1.0
coordinator=10.217.1.1:7400
s3_port=7070
other_s3_port=7071
checks=(demo one-machine three-machines own-buckets other-keys one-download lost-catalog wrong-key wrong-region
  missing-bucket resume dead-disk lost-bucket snippets)

. "$root/integration-tests/go-programs.sh"

case ${1:-} in
  --list)
    printf '%s\n' "${checks[@]}"
    exit 0
    ;;
esac

if [ -z "${CLOUDMW_FIRST_CONTACT:-}" ]; then
  [ "$(id -u)" -eq 0 ] || { echo "first-contact.sh: needs root, for network namespaces" >&2; exit 2; }
  # The build needs the network, which the hosts do not have.
  "$cloudmw" --version >/dev/null
  "$cloudmw" coordinator --help >/dev/null
  find_versitygw
  export CLOUDMW_FIRST_CONTACT=1 CLOUDMW_VERSITYGW
  exec "$root/integration-tests/netns/hosts.sh" 3 none "$0" "$@"
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/cloudmw-first-contact-XXXXXX")
export CLOUDMW_COORDINATOR=$coordinator
export AWS_ACCESS_KEY_ID=first AWS_SECRET_ACCESS_KEY=contact-secret AWS_EC2_METADATA_DISABLED=true
# What the user "has" in ~/.cloudmw: the authority and the administrator's token, which a coordinator makes.
mkdir "$work/home"
export CLOUDMW_JAVA_OPTS="${CLOUDMW_JAVA_OPTS:-} -Duser.home=$work/home"
log=$work/log
mkdir "$work/pids"
# Deadlines only detect hanging commands, so they are generous for slow machines.
patience=300

finish() {
  local file
  for file in "$work"/pids/*; do [ ! -e "$file" ] || kill -9 "$(cat "$file")" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

# Fails the current check with a message in its log.
fail() { # reason
  echo "$*" >>"$log"
  exit 1
}

# Sets the text that the current check's line has after its name.
say() {
  printf '%s' "$*" >"$work/said"
}

# Runs a command on a host: 1 to 3, or the client's host.
on() { # host, command
  local host=$1
  shift
  if [ "$host" = 0 ]; then exec "$@"; else exec ip netns exec "cloudmw-$host" "$@"; fi
}

is_running() { # name
  [ -e "$work/pids/$1" ] && kill -0 "$(cat "$work/pids/$1")" 2>/dev/null
}

# Starts a server and waits until it says "ready".
serve() { # name, host, command
  local name=$1 host=$2 deadline=$((SECONDS + patience))
  shift 2
  (on "$host" "$@") >"$work/$name.out" 2>>"$work/$name.err" &
  echo $! >"$work/pids/$name"
  until grep -q '^ready' "$work/$name.out"; do
    is_running "$name" || fail "$name ended: $(tail -n 5 "$work/$name.err")"
    [ $SECONDS -lt $deadline ] || fail "$name is not ready after $patience s"
    sleep 0.2
  done
}

# Stops a server and waits until it has ended.
stop() { # signal, name
  local pid deadline=$((SECONDS + patience))
  pid=$(cat "$work/pids/$2")
  kill "-$1" "$pid"
  while [ -d "/proc/$pid" ] && ! grep -q '^State:.Z' "/proc/$pid/status" 2>/dev/null; do
    [ $SECONDS -lt $deadline ] || fail "$2 still runs $patience s after SIG$1"
    sleep 0.1
  done
  rm "$work/pids/$2"
}

# Repeats a command until it succeeds.
eventually() { # command
  local deadline=$((SECONDS + patience))
  until "$@"; do
    [ $SECONDS -lt $deadline ] || fail "still not so after $patience s: $*"
    sleep 0.5
  done
}

# Runs a command that must fail with an exit code, within a number of seconds, and with words in its output.
refused() { # exit code, seconds, words, command
  local expected=$1 seconds=$2 words=$3 code=0 before=$SECONDS
  shift 3
  "$@" >"$work/refused" 2>&1 || code=$?
  cat "$work/refused" >>"$log"
  [ "$code" -eq "$expected" ] || fail "exit $code (expected $expected): $*"
  grep -qi -- "$words" "$work/refused" || fail "does not say \"$words\": $*"
  [ $((SECONDS - before)) -le "$seconds" ] || fail "took $((SECONDS - before)) s (expected $seconds): $*"
}

random_file() { # path, MiB
  head -c $(($2 * 1048576)) /dev/urandom >"$1"
}

# Prints a code block of a document's section: the first of a language, or the one with a number.
document_block() { # file, heading, language, number
  awk -v heading="## $2" -v fence="\`\`\`$3" -v left="${4:-1}" '
    $0 == heading { inside = 1; next }
    !inside { next }
    /^## / { exit }
    /^```/ {
      if (wanted) exit
      open = !open
      wanted = open && $0 == fence && --left == 0
      next
    }
    wanted' "$root/$1"
}

same() { # file of a volume, local file
  rm -f "$work/back"
  "$cloudmw" get -q "$1" "$work/back" && cmp "$work/back" "$2"
}

all_copies_there() {
  "$cloudmw" status --json | tail -n 1 >"$work/status"
  [ "$(number under_replicated)" = 0 ]
}

number() { # field of the status
  grep -o "\"$1\":[0-9]*" "$work/status" | head -n 1 | cut -d: -f2
}

served() { # bytes: the switch has sent so many to readers
  "$cloudmw" top --once --json | tail -n 1 >"$work/status"
  [ "$(number served_bytes)" -ge "$1" ]
}

check_demo() {
  "$cloudmw" demo --size 32MiB >"$work/demo.out"
  say "$(grep -m 1 'by the race' "$work/demo.out")"
}

# Runs the document's block verbatim, except for the directory.
check_one_machine() {
  local script=$work/by-hand.sh
  document_block docs/operate.md "A cluster by hand" "" | sed "s|/tmp/cmw|$work/cmw|g; s|\./cloudmw|$cloudmw|g" >"$script"
  awk -v log_file="$work/by-hand.ready" '
    /^# wait for the three lines/ { print "until [ \"$(grep -c ^ready " log_file ")\" = 3 ]; do sleep 0.2; done"; next }
    /&$/ { sub(/&$/, ">>" log_file " 2>>" log_file ".err &") }
    { print }' "$script" >"$script.run"
  : >"$work/by-hand.ready"
  (cd "$root" && env -u CLOUDMW_COORDINATOR timeout $((2 * patience)) bash -em "$script.run")
  cmp "$root/README.md" "$work/cmw/back.md"
  rm -rf "$work/cmw"
  say "coordinator, two helpers, put, ls, cat, get, as docs/operate.md has them"
}

start_machine() { # number: a helper with a disk on a host of its own
  serve "h$1" "$1" "$cloudmw" helper --id "h$1" --disk "d$1=$work/d$1" --coordinator "$coordinator" \
    --secret-file "$work/secret" "${@:2}"
}

check_three_machines() {
  serve coordinator 1 "$cloudmw" coordinator --listen "$coordinator" --data-dir "$work/coordinator" \
    --secret-file "$work/secret"
  local host
  for host in 1 2 3; do start_machine $host; done
  random_file "$work/a" 24
  "$cloudmw" volume create disks --chunk-size 4MiB --replicas 2 --store d1 --store d2 --store d3
  "$cloudmw" put -q "$work/a" disks:/a
  same disks:/a "$work/a"
  say "a volume on three machines, read from a fourth"
}

start_s3() {
  is_running s3 && return 0
  mkdir -p "$work/s3/my-bucket-east" "$work/s3/my-bucket-west" "$work/s3/my-bucket-third" \
    "$work/s3/bucket" "$work/s3/third"
  ROOT_ACCESS_KEY=$AWS_ACCESS_KEY_ID ROOT_SECRET_KEY=$AWS_SECRET_ACCESS_KEY "$CLOUDMW_VERSITYGW" \
    --port "$client_host:$s3_port" --keep-alive posix "$work/s3" >"$work/s3.out" 2>&1 &
  echo $! >"$work/pids/s3"
  # Any answer shows that the server is up, even a 403.
  eventually curl -s -o /dev/null "http://$client_host:$s3_port/"
}

add_bucket() { # store, bucket, options
  "$cloudmw" store add "$1" "s3://$2/cloudmw" --region us-east-1 --endpoint "http://$client_host:$s3_port" --path-style \
    --domain "$1" "${@:3}"
}

# Runs the README's block, with the test's S3 server in place of AWS and of the README's server.
check_own_buckets() {
  start_s3
  document_block README.md "Your own buckets" "" >"$work/buckets.sh"
  grep -q 'store add east' "$work/buckets.sh" || fail "README.md: no such block"
  sed -i "s|\./cloudmw|$cloudmw|; s|us-west-2|us-east-1|; s|http://10.0.0.5:9000|http://$client_host:$s3_port|
    /store add [ew]/s|\$| --endpoint http://$client_host:$s3_port --path-style --domain \$RANDOM|
    s|64MiB|8MiB|" "$work/buckets.sh"
  bash -ex "$work/buckets.sh"
  random_file "$work/b" 40
  "$cloudmw" put -q "$work/b" files:/b
  same files:/b "$work/b"
  say "two buckets of versitygw"
}

# Uses a second server with other keys, which a file has.
check_other_keys() {
  mkdir -p "$work/s3-other/bucket"
  ROOT_ACCESS_KEY=other ROOT_SECRET_KEY=other-secret "$CLOUDMW_VERSITYGW" --port "$client_host:$other_s3_port" --keep-alive \
    posix "$work/s3-other" >"$work/s3-other.out" 2>&1 &
  echo $! >"$work/pids/s3-other"
  eventually curl -s -o /dev/null "http://$client_host:$other_s3_port/"
  printf 'aws_access_key_id = other\naws_secret_access_key = other-secret\n' >"$work/backup.keys"
  chmod 600 "$work/backup.keys"
  document_block docs/operate.md "Buckets with other keys" "" | grep 'credentials-file' >"$work/other-keys.sh"
  sed -i "s|\./cloudmw|$cloudmw|; s|http://10.0.0.6:9000|http://$client_host:$other_s3_port|
    s|/etc/cloudmw/backup.keys|$work/backup.keys|; s|\$| --domain other|" "$work/other-keys.sh"
  bash -ex "$work/other-keys.sh"
  "$cloudmw" volume create both --chunk-size 8MiB --replicas 2 --store east --store backup
  "$cloudmw" put -q "$work/b" both:/b
  same both:/b "$work/b"
  [ "$(find "$work/s3-other/bucket" -type f -size +1M | wc -l)" -ge 5 ] || fail "no copies on the second server"
  say "one volume on two servers that know different keys"
}

# Starts the document's switch for another volume.
check_one_download() {
  local options
  document_block docs/operate.md "One download for many readers" "" >"$work/switch.sh"
  options=$(sed -n 's|.* --secret-file [^ ]* \(-D .*\) &$|\1|p' "$work/switch.sh")
  [ -n "$options" ] || fail "docs/operate.md: no such block"
  options=$(sed "s|=data|=files|; s|/tmp/cmw|$work|" <<<"$options")
  # shellcheck disable=SC2086
  serve s1 2 "$cloudmw" helper --id s1 --coordinator "$coordinator" --secret-file "$work/secret" $options
  "$cloudmw" warm files:/b
  same files:/b "$work/b"
  eventually served 41943040 # the next heartbeat of the switch brings its figures
  stop TERM s1
  say "a switch keeps the file and serves it"
}

# Runs the document's blocks, which recover a volume from its buckets alone, with another catalog and the test's S3 server.
check_lost_catalog() {
  document_block docs/operations.md "Restore from backup" "" 1 >"$work/recover.sh"
  document_block docs/operations.md "Restore from backup" "" 2 >>"$work/recover.sh"
  grep -q 'backup files' "$work/recover.sh" || fail "docs/operations.md: no block with backup"
  grep -q 'recover files' "$work/recover.sh" || fail "docs/operations.md: no block with recover"
  sed -i "s|^cloudmw|$cloudmw|; s|^runuser -u cloudmw -- cloudmw|$cloudmw|
    s|,region=us-east-1|&,endpoint=http://$client_host:$s3_port,path-style|
    s|--config /etc/cloudmw/coordinator.properties|--data-dir $work/recovered|" "$work/recover.sh"
  bash -ex "$work/recover.sh"
  serve recovered 1 "$cloudmw" coordinator --listen "${coordinator%:*}:7500" --data-dir "$work/recovered" \
    --secret-file "$work/secret"
  "$cloudmw" ls files:/ --coordinator "${coordinator%:*}:7500" >"$work/listed"
  grep -q '^.*b$' "$work/listed" || fail "the recovered volume has no /b"
  stop TERM recovered
  say "from one bucket, into an empty catalog"
}

check_wrong_key() {
  start_s3
  printf '[default]\naws_access_key_id = first\naws_secret_access_key = wrong\n' >"$work/wrong-key"
  chmod 600 "$work/wrong-key"
  refused 8 15 "SignatureDoesNotMatch\|secret" add_bucket wrong third --credentials-file "$work/wrong-key"
  say "$(head -n 1 "$work/refused")"
}

check_wrong_region() {
  start_s3
  refused 8 15 "us-east-1" "$cloudmw" store add wrong s3://third/cloudmw --region eu-west-3 \
    --endpoint "http://$client_host:$s3_port" --path-style
  say "$(head -n 1 "$work/refused")"
}

check_missing_bucket() {
  start_s3
  refused 3 15 "there is no bucket nowhere" add_bucket wrong nowhere
  say "$(head -n 1 "$work/refused")"
}

check_resume() {
  random_file "$work/c" 512
  chunks_before=$(chunks_in_east)
  # Background processes of a script ignore SIGINT by default.
  env --default-signal=INT "$cloudmw" put "$work/c" files:/c >"$work/put.out" 2>&1 &
  local put=$! code=0
  eventually chunks_are_stored
  kill -INT "$put"
  wait "$put" || code=$?
  cat "$work/put.out" >>"$log"
  [ "$code" -eq 130 ] || fail "exit $code (expected 130)"
  code=0
  "$cloudmw" put "$work/c" files:/c >"$work/put.out" 2>&1 || code=$?
  cat "$work/put.out" >>"$log"
  [ "$code" -eq 0 ] || fail "the second put: exit $code"
  same files:/c "$work/c"
  grep -q "goes on" "$work/put.out" || fail "the second put began anew"
  say "$(grep -m 1 "goes on" "$work/put.out")"
}

# Returns whether the put has stored more than two chunks since its start.
chunks_are_stored() {
  [ "$(chunks_in_east)" -gt $((chunks_before + 2)) ]
}

chunks_in_east() {
  find "$work/s3/my-bucket-east" -type f -size +1M | wc -l
}

check_dead_disk() {
  stop KILL h3
  rm -rf "$work/d3"
  local code=0
  (on 3 timeout "$patience" "$cloudmw" helper --id h3 --disk "d3=$work/d3" --coordinator "$coordinator" \
    --secret-file "$work/secret") >"$work/refused" 2>&1 || code=$?
  cat "$work/refused" >>"$log"
  { [ "$code" -ne 0 ] && [ "$code" -ne 124 ]; } || fail "exit $code: the empty disk was taken"
  grep -q -- "--replace-disk" "$work/refused" || fail "does not say --replace-disk"
  start_machine 3 --replace-disk d3
  eventually all_copies_there
  stop KILL h2
  same disks:/a "$work/a"
  start_machine 2
  say "refused when empty, taken with --replace-disk, all copies made anew"
}

# Runs the document's block, with the test's S3 server in place of AWS.
check_lost_bucket() {
  rm -rf "$work/s3/my-bucket-west/cloudmw"
  document_block docs/operations.md "A lost bucket" "" >"$work/lost-bucket.sh"
  grep -q 'store lost west' "$work/lost-bucket.sh" || fail "docs/operations.md: no such block"
  sed -i "s|us-west-1|us-east-1|; s|^cloudmw|$cloudmw|
    /store add/s|\$| --endpoint http://$client_host:$s3_port --path-style --domain third|
    /^# /d; /store rm/d" "$work/lost-bucket.sh"
  bash -ex "$work/lost-bucket.sh"
  # The check lost-catalog makes these, if it ran.
  ! "$cloudmw" volume show files-backup || "$cloudmw" volume set files-backup --add-store third
  eventually all_copies_there
  rm -rf "$work/s3/my-bucket-west"
  same files:/b "$work/b"
  eventually "$cloudmw" store rm west
  say "declared lost, replaced by a third bucket, removed"
}

java_homes() {
  local home
  {
    [ -z "${JAVA_HOME:-}" ] || echo "$JAVA_HOME"
    dirname "$(dirname "$(readlink -f "$(command -v javac)")")"
    tr ':' '\n' <<<"${CLOUDMW_TEST_JDKS:-}"
    printf '%s\n' /usr/lib/jvm/*
  } | while read -r home; do
    { [ -n "$home" ] && [ -x "$home/bin/javac" ]; } || continue
    readlink -f "$home"
  done | sort -u
}

check_snippets() {
  local imports snippet home jar version
  imports=$(document_block README.md "In an application" java)
  snippet=$(document_block README.md "In an application" java 2)
  mkdir -p "$work/snippet"
  printf '%s\n\nfinal class Snippet {\n%s\npublic static void main(String[] args) { putAndGet(args[0], args[1], Path.of(args[2]), Path.of(args[3])); }\n}\n' \
    "$imports" "$snippet" >"$work/snippet/Snippet.java"
  jar=$(ls "$root"/cloudmw-client/cli/target/cloudmw-cli-*-all.jar)
  local versions=
  for home in $(java_homes); do
    version=$("$home/bin/java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p')
    [ "${version:-0}" -ge 17 ] || continue
    "$home/bin/javac" -cp "$jar" -d "$work/snippet" "$work/snippet/Snippet.java"
    rm -f "$work/copy"
    CLOUDMW_TOKEN_FILE=$work/home/.cloudmw/admin.token \
      "$home/bin/java" -cp "$jar:$work/snippet" Snippet "$coordinator" "files:/snippet-$version" "$work/b" "$work/copy"
    cmp "$work/copy" "$work/b"
    versions="$versions JDK $version"
  done
  [ -n "$versions" ] || fail "no JDK 17 or later found"
  for version in ${CLOUDMW_REQUIRE_JDKS:-}; do
    case "$versions " in *" $version "*) ;; *) fail "no JDK $version found, and CLOUDMW_REQUIRE_JDKS names it" ;; esac
  done
  say "without an option:$versions"
}

failures=0
[ $# -eq 0 ] || checks=("$@")
for check in "${checks[@]}"; do
  before=$SECONDS
  : >"$log"
  : >"$work/said"
  # In a condition the option -e has no effect, so the status is tested afterwards.
  set +e
  (
    set -e
    "check_${check//-/_}"
  ) >>"$log" 2>&1
  status=$?
  set -e
  if [ "$status" -eq 0 ]; then
    printf 'ok      %-15s %3d s  %s\n' "$check" $((SECONDS - before)) "$(cat "$work/said")"
  else
    failures=$((failures + 1))
    printf 'FAILED  %-15s %3d s\n' "$check" $((SECONDS - before))
    sed 's/^/        /' "$log"
  fi
done
[ "$failures" -eq 0 ]
