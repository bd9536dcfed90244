#!/usr/bin/env bash
# Measures ordinary workloads of the command line and of the library against rclone and the AWS command line, on one S3
# server, in one run, in turn. Prints Markdown tables of medians, with the CPU time of each process.
#
#   integration-tests/ordinary.sh [OPTION...] [WORKLOAD...]     all workloads, or those whose names are given
#
#   --list              prints the names of the workloads
#   --quick             sizes and numbers of files divided by 16, one round: a try, not a measurement
#   --rounds N          measured rounds (default 9); in each round every tool runs once
#   --warm-ups N        rounds before those (default 1; with directories, of a tenth of the files)
#   --seed N            of the bytes (default 1)
#   --tls               connections of the cluster under TLS; without it they are in plain text
#   --without aws       leaves the AWS command line out
#   --json FILE         writes all samples, too
#
# The cluster: versitygw on loopback, a coordinator, two helpers without disks as the launcher starts them, and a volume of
# 64 MiB chunks with two replicas in two buckets. The CPU time of servers is from /proc before and after each run, that of
# clients is what the kernel says at their end. Before each run the page cache is written out (sync). What was read is
# compared with its source after each run, outside of the measured time.
#
# Needs Linux, a JDK, Go (builds versitygw and rclone once), and the AWS command line 2 (Debian: apt-get install awscli; or
# CLOUDMW_AWS). That one's CRT client ignores the port of an endpoint, so the S3 server listens on port 80 of an address of
# 127.0.0.0/8, which takes root. Needs 50 GB where temporary files are (TMPDIR). Deletes all files and processes at the end.
set -euo pipefail

. "$(dirname "$0")/processes.sh"
. "$root/integration-tests/go-programs.sh"
workloads=(put-4k get-4k put-1m get-1m put get-first get get-direct cat cat-library get-1k open-1k switch)
rclone_version=v1.75.1

usage() {
  sed -n '5,15s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

number_of() { # option, its value
  [[ ${2:-} =~ ^[0-9]+$ ]] || { echo "$script: $1: ${2:-nothing} (expected: a number)" >&2; exit 2; }
  echo "$2"
}

rounds=
warm_ups=
seed=1
json=
quick=
tls=
aws=aws
chosen=()
while [ $# -gt 0 ]; do
  case $1 in
    --list) printf '%s\n' "${workloads[@]}"; exit 0 ;;
    --quick) quick=yes ;;
    --rounds) rounds=$(number_of "$@"); shift ;;
    --warm-ups) warm_ups=$(number_of "$@"); shift ;;
    --seed) seed=$(number_of "$@"); shift ;;
    --tls) tls=yes ;;
    --without) [ "${2:-}" = aws ] || usage; aws=; shift ;;
    --json) [ -n "${2:-}" ] || usage; json=$2; shift ;;
    -*) usage ;;
    *)
      [[ " ${workloads[*]} " = *" $1 "* ]] || { echo "$script: no workload $1 (--list prints them)" >&2; exit 2; }
      chosen+=("$1")
      ;;
  esac
  shift
done
[ ${#chosen[@]} -eq 0 ] || workloads=("${chosen[@]}")
part=1
[ -z "$quick" ] || part=16
: "${rounds:=$((part == 1 ? 9 : 1))}" "${warm_ups:=$((part == 1 ? 1 : 0))}"
[ "$rounds" -gt 0 ] || { echo "$script: --rounds 0 (expected: 1 or more)" >&2; exit 2; }
# The library compiles for longer than a command lives, and a started client is one that has done so.
library_warm_ups=$((part == 1 ? 10 : 1))
small_files=$((10000 / part))
mib_files=$((1000 / part))
big_bytes=$(((1 << 30) / part))
small_gets=$((10000 / part))
switch_reads=20

# Prints the path of an AWS command line of release 2, which has the CRT client. PyPI has release 1, whose "s3 cp" does not.
find_aws() {
  local candidate
  for candidate in ${CLOUDMW_AWS:-/usr/bin/aws "$(command -v aws || true)"}; do
    [[ $("$candidate" --version 2>/dev/null) != aws-cli/2* ]] || { echo "$candidate"; return; }
  done
  echo "$script: no AWS command line 2 found: apt-get install awscli, or CLOUDMW_AWS, or --without aws" >&2
  exit 2
}

[ -z "$aws" ] || aws=$(find_aws)
[ -z "$aws" ] || [ "$(id -u)" -eq 0 ] || { echo "$script: needs root for port 80, or --without aws" >&2; exit 2; }
command -v javac >/dev/null || [ -x "${JAVA_HOME:-}/bin/javac" ] || { echo "$script: needs a JDK" >&2; exit 2; }
find_versitygw
rclone_program=$go_programs/rclone-$rclone_version
build_go_program "$rclone_program" rclone "github.com/rclone/rclone@$rclone_version"
build_this
begin_work
[ -n "$tls" ] || export CLOUDMW_TLS_INSECURE=true
samples=$work/samples
notes=$work/notes
reported=
: >"$samples"
: >"$notes"
: >"$work/percentiles"
: >"$work/objects"

# What was measured before a failure or an interruption is printed, too, although the output of the command at that time
# goes elsewhere.
exec 5>&1
finish() {
  stop_all KILL
  wait 2>/dev/null || true
  [ -n "$reported" ] || [ ! -s "$samples" ] || report >&5 || true
  rm -rf "$work"
}

# Standard output of a failed check would be lost in the tables.
fail() { # reason
  echo "$script: $*" >&2
  exit 1
}

cloudmw() { # arguments
  "${launchers[new]}" "$@"
}

rclone() { # arguments
  "$rclone_program" --config "$work/rclone.conf" "$@"
}

aws() { # arguments of "s3 cp"
  "$aws" --endpoint-url "$endpoint" s3 cp --only-show-errors "$@"
}

start_s3() {
  local port=80 host=127.$((RANDOM % 250 + 2)).$((RANDOM % 250 + 2)).$((RANDOM % 250 + 2)) deadline=$((SECONDS + patience))
  [ -n "$aws" ] || { host=127.0.0.1; port=$(free_ports 1); }
  mkdir "$work/s3"
  endpoint=http://$host:$port
  ROOT_ACCESS_KEY=$AWS_ACCESS_KEY_ID ROOT_SECRET_KEY=$AWS_SECRET_ACCESS_KEY "$CLOUDMW_VERSITYGW" --port "$host:$port" \
    --keep-alive posix "$work/s3" >/dev/null 2>"$work/s3.err" &
  echo $! >"$work/pids/s3"
  disown $!
  until (exec 3<>"/dev/tcp/$host/$port") 2>/dev/null; do
    kill -0 "$(cat "$work/pids/s3")" 2>/dev/null || fail "versitygw ended: $(tail -n 5 "$work/s3.err")"
    [ $SECONDS -lt $deadline ] || fail "versitygw is not ready after $patience s"
    sleep 0.1
  done
  : >"$work/rclone.conf"
  export RCLONE_CONFIG_S3_TYPE=s3 RCLONE_CONFIG_S3_PROVIDER=Other RCLONE_CONFIG_S3_ENDPOINT=$endpoint \
    RCLONE_CONFIG_S3_ACCESS_KEY_ID=$AWS_ACCESS_KEY_ID RCLONE_CONFIG_S3_SECRET_ACCESS_KEY=$AWS_SECRET_ACCESS_KEY \
    RCLONE_CONFIG_S3_REGION=us-east-1 AWS_CONFIG_FILE=$work/aws.conf
  printf '%s\n' '[default]' 'region = us-east-1' 's3 =' '  addressing_style = path' \
    '  preferred_transfer_client = crt' >"$AWS_CONFIG_FILE"
  rclone mkdir s3:plain-1
  rclone mkdir s3:plain-2
}

start_helper() { # name, options
  serve "$1" new helper --id "$1" --coordinator "$CLOUDMW_COORDINATOR" --secret-file "$work/secret" \
    -D "helper.spool.dir=$work/spool-$1" "${@:2}"
}

start_cluster() {
  local store
  serve coordinator new coordinator --listen 127.0.0.1:0 --data-dir "$work/coordinator" --secret-file "$work/secret" \
    -D "tls.authority=$work/authority.pem" -D "tls.admin-token-file=$work/admin.token"
  export CLOUDMW_TOKEN_FILE=$work/admin.token
  CLOUDMW_COORDINATOR=$(sed -n 's/^ready.* address=\([^ ]*\).*/\1/p' "$work/coordinator.out")
  export CLOUDMW_COORDINATOR
  start_helper h1
  start_helper h2
  for store in east west; do
    cloudmw store add $store s3://$store/cloudmw --create --region us-east-1 --endpoint "$endpoint" --path-style \
      --domain $store >/dev/null
  done
  new_volume v
}

new_volume() { # name
  cloudmw volume create "$1" --chunk-size 64MiB --replicas 2 --store east,west >/dev/null
}

# An archive is made in the background at the first start of each jar.
archives_are_made() {
  ! compgen -G "$root/.run/*/*.lock" >/dev/null
}

java_of_bench() { # arguments
  exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Xmx64m -XX:MaxDirectMemorySize=96m -XX:+UseSerialGC \
    -cp "$(ls "$root"/cloudmw-client/cli/target/cloudmw-cli-*-all.jar):$work/classes" io.cloudmw.it.bench.OrdinaryBench "$@"
}

# Compiles the bench, which needs only the jar of the command line.
build_bench() {
  "${JAVA_HOME:+$JAVA_HOME/bin/}javac" -cp "$(ls "$root"/cloudmw-client/cli/target/cloudmw-cli-*-all.jar)" \
    -d "$work/classes" "$root/integration-tests/src/main/java/io/cloudmw/it/bench/OrdinaryBench.java"
}

start_bench() {
  rm -f "$work/commands" "$work/answers"
  mkfifo "$work/commands" "$work/answers"
  java_of_bench serve "$CLOUDMW_COORDINATOR" <"$work/commands" >"$work/answers" 2>"$work/bench.err" 8>&- &
  echo $! >"$work/pids/bench"
  disown $!
  exec 8>"$work/commands" 7<"$work/answers"
}

end_bench() {
  exec 8>&- 7<&-
  stop TERM bench
}

ask() { # command of the bench: sets answer
  echo "$*" >&8
  read -r answer <&7 || fail "$*: $(tail -n 5 "$work/bench.err")"
}

# Prints the hundredths of CPU seconds that processes have used so far.
cpu_of() { # names
  local name stat sum=0 fields
  for name in "$@"; do
    stat=$(<"/proc/$(cat "$work/pids/$name")/stat")
    read -r -a fields <<<"${stat##*) }"
    sum=$((sum + fields[11] + fields[12]))
  done
  echo "$sum"
}

# Servers warm up as those of users do.
warm_up_time=

# The helpers whose CPU time counts.
helpers=(h1 h2)

begin_sample() {
  sync
  cpu_before=("$(cpu_of "${helpers[@]}")" "$(cpu_of coordinator)" "$(cpu_of s3)")
}

# Notes a sample. Those of warm-ups have rounds of 0 and less, and are left out of the tables.
end_sample() { # tool, seconds, CPU seconds of the client
  local after=("$(cpu_of "${helpers[@]}")" "$(cpu_of coordinator)" "$(cpu_of s3)")
  awk -v OFS='\t' -v workload="$workload" -v tool="$1" -v round="$round" -v seconds="$2" -v client="$3" \
    -v before="${cpu_before[*]}" -v after="${after[*]}" 'BEGIN {
      split(before, b, " "); split(after, a, " ")
      print workload, tool, round, seconds, client, (a[1] - b[1]) / 100, (a[2] - b[2]) / 100, (a[3] - b[3]) / 100
    }' >>"$samples"
  tail -n 1 "$samples" >&2
}

# Runs a command of a tool, and notes the time and what it cost. Output goes nowhere.
measure() { # tool, command
  local TIMEFORMAT='%R %U %S' taken
  begin_sample
  { time "${@:2}" >/dev/null 2>"$work/err" </dev/null; } 2>"$work/time" \
    || fail "$workload: ${*:2}: $(tail -n 5 "$work/err")"
  read -r -a taken <"$work/time"
  end_sample "$1" "${taken[0]}" "$(awk "BEGIN { print ${taken[1]} + ${taken[2]} }")"
}

# Asks the bench for a read, whose first number is its seconds.
measure_bench() { # tool, command
  local client
  begin_sample
  client=$(cpu_of bench)
  ask "${@:2}"
  end_sample "$1" "${answer%% *}" "$(awk "BEGIN { print ($(cpu_of bench) - $client) / 100 }")"
}

note() { # words
  grep -qxF "$*" "$notes" || echo "$*" >>"$notes"
}

put_tree() { # tool, directory, name
  case $1 in
    cloudmw) cloudmw put -q -r "$2" "v:/$3" ;;
    rclone) rclone copy "$2" "s3:plain-1/$3" ;;
    rclone-twice) rclone copy "$2" "s3:plain-1/$3" && rclone copy "$2" "s3:plain-2/$3" ;;
    aws) aws --recursive "$2" "s3://plain-1/$3" ;;
  esac
}

get_tree() { # tool, name, directory
  case $1 in
    cloudmw) cloudmw get -q -r "v:/$2" "$3" ;;
    cloudmw-no-fsync) cloudmw get -q -r --no-fsync "v:/$2" "$3" ;;
    rclone) rclone copy "s3:plain-1/$2" "$3" ;;
    aws) aws --recursive "s3://plain-1/$2" "$3" ;;
  esac
}

put_file() { # tool, file, name
  case $1 in
    cloudmw) cloudmw put -q "$2" "v:/$3" ;;
    rclone) rclone copyto "$2" "s3:plain-1/$3" ;;
    rclone-twice) rclone copyto "$2" "s3:plain-1/$3" && rclone copyto "$2" "s3:plain-2/$3" ;;
    aws) aws "$2" "s3://plain-1/$3" ;;
    aws-twice) aws "$2" "s3://plain-1/$3" && aws "$2" "s3://plain-2/$3" ;;
  esac
}

get_file() { # tool, name, file
  case $1 in
    cloudmw) cloudmw get -q "v:/$2" "$3" ;;
    cloudmw-no-fsync) cloudmw get -q --no-fsync "v:/$2" "$3" ;;
    cloudmw-direct) cloudmw get -q --path direct "v:/$2" "$3" ;;
    rclone) rclone copyto "s3:plain-1/$2" "$3" ;;
    aws) aws "s3://plain-1/$2" "$3" ;;
  esac
}

cat_file() { # tool, name
  case $1 in
    cloudmw) cloudmw cat -q "v:/$2" ;;
    rclone) rclone cat "s3:plain-1/$2" ;;
    aws) aws "s3://plain-1/$2" - ;;
  esac
}

# Makes the sources, and puts what the reads of a workload need, once.
source_tree() { # name (4k or 1m), files: sets tree
  local bytes=4096
  [ "$1" = 4k ] || bytes=1048576
  tree=$work/tree-$1-$2
  [ -d "$tree" ] || (java_of_bench generate "$tree" "$2" $bytes "$seed")
}

stored_tree() { # directory
  [ ! -e "$1.stored" ] || return 0
  put_tree cloudmw "$1" "${1##*/}" >/dev/null
  put_tree rclone "$1" "${1##*/}"
  : >"$1.stored"
}

big=$work/big

source_big() {
  [ -e "$big" ] || (java_of_bench generate "$big" "$big_bytes" "$seed")
}

stored_big() {
  source_big
  [ ! -e "$big.stored" ] || return 0
  put_file cloudmw "$big" big
  put_file rclone "$big" big
  : >"$big.stored"
}

count_objects() {
  find "$work/s3/east" "$work/s3/west" -type f -not -path '*/.*' | wc -l
}

# Deletes what a measured put has left, behind the coordinator's back: nobody reads it, and the disk has room for the next.
delete_put() { # name
  rm -rf "$work/s3/plain-1/$1" "$work/s3/plain-2/$1"
  find "$work/s3/east" "$work/s3/west" -type f -newer "$work/began" -not -path '*/.*' \
    -not -name cloudmw-store.json -delete
}

# Runs a function for each tool, in each round.
each_round() { # function, tools
  local tool
  for ((round = 1 - warm_ups; round <= rounds; round++)); do
    for tool in "${@:2}"; do
      [ "${tool%%-*}" != aws ] || [ -n "$aws" ] || continue
      "$1" "$tool"
    done
  done
}

# A tenth of the files is enough to warm up.
files_of_round() { # files
  if [ "$round" -gt 0 ]; then echo "$1"; else echo $(($1 / 10)); fi
}

put_round_of_tree() { # tool
  local before name=$workload-$1-$round
  source_tree "${workload#put-}" "$(files_of_round "$files")"
  touch "$work/began"
  before=$(count_objects)
  measure "$1" put_tree "$1" "$tree" "$name"
  if [ "$1" = cloudmw ] && [ "$round" -gt 0 ]; then
    printf '%s\t%s\t%s\n' "$workload" "$files" $(($(count_objects) - before)) >>"$work/objects"
  fi
  delete_put "$name"
}

get_round_of_tree() { # tool
  source_tree "${workload#get-}" "$(files_of_round "$files")"
  stored_tree "$tree"
  rm -rf "$work/target"
  measure "$1" get_tree "$1" "${tree##*/}" "$work/target"
  diff -rq "$tree" "$work/target" >&2 || fail "$workload: $1 has not read what was written"
  rm -rf "$work/target"
}

put_round() { # tool
  local name=put-$1-$round
  touch "$work/began"
  measure "$1" put_file "$1" "$big" "$name"
  delete_put "$name"
}

get_round() { # tool
  rm -f "$work/target"
  measure "$1" get_file "$1" big "$work/target"
  cmp "$big" "$work/target" || fail "$workload: $1 has not read what was written"
  rm -f "$work/target"
}

first_get_round() { # tool
  if [ "$1" = cloudmw ]; then
    stop TERM h1
    stop TERM h2
    start_helper h1
    start_helper h2
  fi
  get_round "$1"
}

cat_round() { # tool
  measure "$1" cat_file "$1" big
}

library_round() { # tool
  case $1 in
    library) measure_bench "$1" read v:/big ;;
    *) cat_round "$1" ;;
  esac
}

do_tree() { # files
  local files=$1
  case $workload in
    put-*) each_round put_round_of_tree cloudmw rclone rclone-twice aws ;;
    *) each_round get_round_of_tree cloudmw cloudmw-no-fsync rclone aws ;;
  esac
}

do_put_4k() { do_tree "$small_files"; }
do_get_4k() { do_tree "$small_files"; }
do_put_1m() { do_tree "$mib_files"; }
do_get_1m() { do_tree "$mib_files"; }

do_put() {
  source_big
  each_round put_round cloudmw rclone-twice aws-twice
}

do_get_first() {
  stored_big
  each_round first_get_round cloudmw rclone aws
}

do_get() {
  stored_big
  each_round get_round cloudmw cloudmw-no-fsync rclone aws
}

do_get_direct() {
  if ! cloudmw get --help | grep -q -- --path; then
    note "get-direct was left out: cloudmw get has no option --path."
    return
  fi
  stored_big
  each_round get_round cloudmw-direct rclone aws
}

do_cat() {
  stored_big
  each_round cat_round cloudmw rclone aws
}

do_cat_library() {
  local i
  stored_big
  start_bench
  for ((i = 0; i < library_warm_ups; i++)); do ask read v:/big; done
  each_round library_round library rclone
  end_bench
}

# Lets a started client read so often in each round, after as many reads before.
measure_reads() { # command of the bench, file
  start_bench
  ask "$1" "$2" "$small_gets"
  for ((round = 1; round <= rounds; round++)); do
    ask "$1" "$2" "$small_gets"
    printf '%s\t%s\t%s\t%s\n' "$workload" "$round" ${answer} >>"$work/percentiles"
    echo "$workload $round $answer ms" >&2
  done
  end_bench
}

do_get_1k() {
  local disk=$work/disk
  start_helper hd --disk "d1=$disk" -D helper.disk.d1.reserve=8MiB
  cloudmw volume create small --replicas 1 --store d1 >/dev/null
  (java_of_bench generate "$work/small" 1024 "$seed")
  cloudmw put -q "$work/small" small:/small
  measure_reads small-gets small:/small
  cloudmw volume rm small --force --yes >/dev/null
  stop TERM hd
}

# Reads of 1 KiB at random places of an open file, whose plan is at hand. The file is larger than the client's memory.
do_open_1k() {
  start_helper hd --disk "d1=$work/disk" -D helper.disk.d1.reserve=8MiB
  cloudmw volume create leaves --replicas 1 --store d1 --leaf-size 16KiB >/dev/null
  (java_of_bench generate "$work/large" $((256 << 20)) "$seed")
  cloudmw put -q "$work/large" leaves:/large
  measure_reads open-reads leaves:/large
  cloudmw volume rm leaves --force --yes >/dev/null
  rm "$work/large"
  stop TERM hd
}

# A new switch in each round: the same GiB twenty times, the first from the stores, the others from its disk.
do_switch() {
  local i
  new_volume s
  source_big
  cloudmw put -q "$big" s:/big
  helpers=(switch)
  for ((round = 1; round <= rounds; round++)); do
    start_helper switch -D helper.switch.volumes=s -D "helper.cache.disk.dir=$work/cache"
    start_bench
    for ((i = 1; i <= switch_reads; i++)); do
      measure_bench "read-$i" read s:/big
    done
    end_bench
    stop TERM switch
    rm -rf "$work/cache"
  done
  helpers=(h1 h2)
}

# Prints the tables, and the JSON object into a file, from the samples.
report() {
  local machine about loads
  reported=yes
  loads="Load average: before $load; after $(load_average)."
  machine="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores, \
$(awk '/^MemTotal/ { printf "%.0f GB", $2 / 1e6 }' /proc/meminfo), Linux $(uname -r), \
JDK $("${JAVA_HOME:+$JAVA_HOME/bin/}java" -version 2>&1 | sed -n '1s/.*"\([^"]*\)".*/\1/p'), $(date -u +%Y-%m-%d)."
  about="Commit $(git -C "$root" rev-parse --short HEAD), rclone $rclone_version, \
$([ -z "$aws" ] && echo "no aws" || "$aws" --version | cut -d' ' -f1), versitygw ${CLOUDMW_VERSITYGW##*-}; \
$rounds rounds after $warm_ups, seed $seed, sizes ÷ $part, $([ -n "$tls" ] && echo "under TLS" || echo "plain text")."
  awk -F'\t' -v samples="$samples" -v percentiles="$work/percentiles" -v objects="$work/objects" \
    -v json="${json:-/dev/null}" -v part="$part" -v small_files="$small_files" -v machine="$machine" \
    -v about="$about" -v load="$loads" -v notes="$notes" '
    function quote(text) { gsub(/["\\]/, "\\\\&", text); return "\"" text "\"" }
    # Sorts the column of a key.
    function sorted(key, column,    n, i, j, v) {
      n = count[key]
      for (i = 1; i <= n; i++) {
        v = value[key, column, i]
        for (j = i - 1; j >= 1 && s[j] > v; j--) s[j + 1] = s[j]
        s[j + 1] = v
      }
      return n
    }
    function median(key, column,    n) {
      n = sorted(key, column)
      return n % 2 ? s[(n + 1) / 2] : (s[n / 2] + s[n / 2 + 1]) / 2
    }
    function add(key, column, v) { value[key, column, count[key]] = v }
    function label(tool) {
      if (tool == "cloudmw-no-fsync") return "cloudmw --no-fsync"
      if (tool == "cloudmw-direct") return "cloudmw --path direct"
      if (tool == "library") return "cloudmw, library"
      if (tool == "rclone-twice") return "rclone, two copies"
      if (tool == "aws-twice") return "aws, two copies"
      if (tool ~ /^read-/) return "switch, GiB " substr(tool, 6)
      return tool
    }
    function target(words, key, measured, limit) {
      if (count[key] == 0) return
      targets = targets sprintf("| %s | %s | %.2f | %s |\n", words, limit, measured, measured <= limit ? "met" : "**missed**")
      targets_json = targets_json (targets_json ? "," : "") "\n  {\"target\":" quote(words) ",\"at_most\":" limit \
        ",\"measured\":" sprintf("%.3f", measured) ",\"met\":" (measured <= limit ? "true" : "false") "}"
    }
    function ratio(workload, tool, peer) {
      if (count[workload "/" tool] == 0 || count[workload "/" peer] == 0) return 0
      return median(workload "/" tool, 1) / median(workload "/" peer, 1)
    }
    function cpu(key, column) { return count[key] ? median(key, column) : 0 }
    BEGIN {
      while ((getline <samples) > 0) {
        if ($3 < 1) continue
        key = $1 "/" $2
        if (!count[key]++) order[++keys] = key
        for (c = 1; c <= 5; c++) add(key, c, $(c + 3))
        list = list (list ? "," : "") "\n  {\"workload\":" quote($1) ",\"tool\":" quote($2) ",\"round\":" $3 ",\"seconds\":" $4 \
          ",\"cpu_seconds\":{\"client\":" $5 ",\"helpers\":" $6 ",\"coordinator\":" $7 ",\"s3\":" $8 "}}"
      }
      while ((getline <percentiles) > 0) {
        count[$1]++
        add($1, 1, $3); add($1, 2, $4)
        small = small (small ? "," : "") "\n  {\"workload\":" quote($1) ",\"round\":" $2 ",\"p50_millis\":" $3 ",\"p99_millis\":" $4 "}"
      }
      while ((getline <objects) > 0) {
        key = $1 "-objects"
        count[key]++
        add(key, 1, $3); files[$1] = $2
        counted = counted (counted ? "," : "") "\n  {\"workload\":" quote($1) ",\"files\":" $2 ",\"objects_in_both_buckets\":" $3 "}"
      }
      print machine; print ""; print about; print ""; print load; print ""
      if (keys > 0) {
        print "| workload | tool | seconds (min–max) | CPU-s client | helpers | coordinator | S3 server | ÷ rclone |"
        print "|---|---|---|---|---|---|---|---|"
      }
      for (k = 1; k <= keys; k++) {
        split(order[k], name, "/")
        if (name[2] ~ /^read-/ && name[2] !~ /-(1|2|10|20)$/) continue
        peer = name[1] "/" (name[1] == "put" ? "rclone-twice" : "rclone")
        seconds = median(order[k], 1)
        n = sorted(order[k], 1)
        least = s[1]; most = s[n]
        printf "| %s | %s | %.2f (%.2f–%.2f) | %.2f | %.2f | %.2f | %.2f | %s |\n", name[1], label(name[2]), seconds, least, most,
          median(order[k], 2), median(order[k], 3), median(order[k], 4), median(order[k], 5),
          count[peer] ? sprintf("%.2f", seconds / median(peer, 1)) : ""
      }
      print ""
      if (count["get-1k"]) {
        printf "get-1k: a get of 1 KiB from a disk of a helper takes p50 %.3f ms, p99 %.3f ms (medians).\n\n", \
          median("get-1k", 1), median("get-1k", 2)
      }
      if (count["open-1k"]) {
        printf "open-1k: a read of 1 KiB of an open file on a disk of a helper takes p50 %.3f ms, p99 %.3f ms (medians).\n\n", \
          median("open-1k", 1), median("open-1k", 2)
      }
      for (w in files) {
        printf "%s: %d files became %d objects in each bucket.\n\n", w, files[w], median(w "-objects", 1) / 2
      }
      for (k = 1; k <= keys; k++) {
        split(order[k], name, "/")
        if (name[1] !~ /-4k$/ || name[2] !~ /^(cloudmw|rclone)$/) continue
        printf "%s, %s: %d files a second.\n\n", name[1], name[2], small_files / median(order[k], 1)
      }
      target("put -r of files of 4 KiB ÷ rclone", "put-4k/cloudmw", ratio("put-4k", "cloudmw", "rclone"), 1.5)
      if (files["put-4k"]) target("objects ÷ files", "put-4k-objects", median("put-4k-objects", 1) / 2 / files["put-4k"], 0.01)
      target("get -r of files of 4 KiB ÷ rclone", "get-4k/cloudmw", ratio("get-4k", "cloudmw", "rclone"), 1.5)
      target("put -r of files of 1 MiB ÷ rclone", "put-1m/cloudmw", ratio("put-1m", "cloudmw", "rclone"), 1.2)
      target("get -r of files of 1 MiB ÷ rclone", "get-1m/cloudmw", ratio("get-1m", "cloudmw", "rclone"), 1.2)
      target("get 1 GiB, warm ÷ rclone", "get/cloudmw", ratio("get", "cloudmw", "rclone"), 1.3)
      target("get 1 GiB, warm: CPU-s client", "get/cloudmw", cpu("get/cloudmw", 2), 2.0)
      target("get 1 GiB, warm: CPU-s helpers", "get/cloudmw", cpu("get/cloudmw", 3), 1.0)
      target("get 1 GiB, first after start ÷ rclone", "get-first/cloudmw", ratio("get-first", "cloudmw", "rclone"), 1.6)
      target("get 1 GiB, --path direct ÷ rclone", "get-direct/cloudmw-direct", ratio("get-direct", "cloudmw-direct", "rclone"), 1.1)
      target("cat 1 GiB, library: CPU-s client", "cat-library/library", cpu("cat-library/library", 2), 1.1)
      target("put 1 GiB ÷ two rclone puts", "put/cloudmw", ratio("put", "cloudmw", "rclone-twice"), 0.5)
      target("put 1 GiB: CPU-s helpers, each copy", "put/cloudmw", cpu("put/cloudmw", 3) / 2, 1.5)
      target("read 1 KiB with a plan at hand, p50 in ms", "open-1k", count["open-1k"] ? median("open-1k", 1) : 0, 0.4)
      if (count["switch/read-20"]) {
        target("first GiB through a switch ÷ CPU of the twentieth", "switch/read-1", \
          cpu("switch/read-1", 3) / (cpu("switch/read-20", 3) + 0.001), 2)
      }
      if (targets && part > 1) print "The targets are for whole sizes: see a run without --quick.\n"
      else if (targets) printf "| target | at most | measured | |\n|---|---|---|---|\n%s\n", targets
      while ((getline line <notes) > 0) print line
      printf "{\"machine\":%s,\"about\":%s,\"load\":%s,\n \"samples\":[%s],\n \"small_gets\":[%s],\n \"objects\":[%s],\n \"targets\":[%s]}\n", \
        quote(machine), quote(about), quote(load), list, small, counted, targets_json >json
    }'
}

load_average() {
  cut -d' ' -f1-3 /proc/loadavg
}

start_s3
build_bench
start_cluster
eventually archives_are_made
load=$(load_average)
for workload in "${workloads[@]}"; do
  echo "== $workload, load average $(load_average)" >&2
  "do_${workload//-/_}"
done
report
