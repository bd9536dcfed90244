#!/usr/bin/env bash
# Measures what TLS costs: bytes of the bulk plane and of a gRPC stream with and without it, and small reads of a started
# client. Prints Markdown tables of medians.
#
#   integration-tests/tls-bench.sh [--rounds N]     measured rounds of small reads (default 9)
#
# Needs Linux, a JDK, and the jars and tests of this build (./mvnw -DskipTests package).
set -euo pipefail

. "$(dirname "$0")/processes.sh"
rounds=9
case ${1:-} in
  '') ;;
  --rounds) [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || { echo "$script: --rounds: ${2:-nothing} (expected: a number)" >&2; exit 2; }
    rounds=$2 ;;
  *) sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
reads=10000

begin_work
build_this
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
jar=$(ls "$root"/cloudmw-client/cli/target/cloudmw-cli-*-all.jar)
mkdir "$work/classes"
"${java}c" -cp "$jar" -d "$work/classes" "$root/integration-tests/src/main/java/io/cloudmw/it/bench/OrdinaryBench.java"

class_path=$root/integration-tests/target/classes:$root/integration-tests/lab/target/classes:$jar
# The certificates of the streams need a library that only servers have.
class_path=$class_path:$(ls "$root"/cloudmw-helper/target/cloudmw-helper-*-all.jar)

stream() { # class, kind
  "$java" -Xmx1g -cp "$class_path" "io.cloudmw.it.bench.$1" 4 5 262144 "$2" | sed -n 's/^median: //p' | grep .
}

echo "== streams, load average $(cut -d' ' -f1-3 /proc/loadavg)" >&2
echo '| 256 KiB pieces, one stream, loopback | median of 5 rounds of 4 GiB |'
echo '|---|---|'
echo "| bulk plane, plain text, from a file by the kernel | $(stream BulkBench regions) |"
echo "| bulk plane, plain text, through memory | $(stream BulkBench copies) |"
echo "| bulk plane, TLS | $(stream BulkBench tls) |"
echo "| gRPC, plain text | $(stream GrpcStreamBench plain) |"
echo "| gRPC, TLS | $(stream GrpcStreamBench tls) |"

# The settings of the cluster that this kind of connection has.
options() { # plain or tls
  echo "--secret-file $work/$1-secret -D tls.insecure=$([ "$1" = tls ] && echo false || echo true)"
}

start_cluster() { # plain or tls
  # shellcheck disable=SC2046 # several options
  serve "coordinator-$1" new coordinator --listen 127.0.0.1:0 --data-dir "$work/$1" $(options "$1") \
    -D "tls.authority=$work/$1-authority.pem" -D "tls.admin-token-file=$work/$1.token"
  address=$(sed -n 's/^ready.* address=\([^ ]*\).*/\1/p' "$work/coordinator-$1.out")
  # shellcheck disable=SC2046
  serve "helper-$1" new helper --id "h-$1" --coordinator "$address" $(options "$1") --disk "d1=$work/$1-disk" \
    -D helper.disk.d1.reserve=8MiB -D "helper.spool.dir=$work/$1-spool"
  local identity=(--insecure)
  [ "$1" = plain ] || identity=(--token-file "$work/$1.token")
  cloudmw new volume create v --replicas 1 --store d1 -c "$address" "${identity[@]}" >/dev/null
  cloudmw new put -q "$work/small" v:/small -c "$address" "${identity[@]}"
  cloudmw new volume create leaves --replicas 1 --store d1 --leaf-size 16KiB -c "$address" "${identity[@]}" >/dev/null
  cloudmw new put -q "$work/large" leaves:/large -c "$address" "${identity[@]}"
  mkfifo "$work/$1.commands" "$work/$1.answers"
  local security=CLOUDMW_TLS_INSECURE=true
  [ "$1" = plain ] || security=CLOUDMW_TOKEN_FILE=$work/$1.token
  env "$security" "$java" -Xmx64m -XX:MaxDirectMemorySize=96m -XX:+UseSerialGC -cp "$jar:$work/classes" \
    io.cloudmw.it.bench.OrdinaryBench serve "$address" <"$work/$1.commands" >"$work/$1.answers" \
    2>"$work/$1.err" 8>&- 9>&- &
  echo $! >"$work/pids/bench-$1"
  disown $!
}

head -c 4096 /dev/urandom >"$work/small"
head -c 67108864 /dev/urandom >"$work/large"
start_cluster plain
exec 8>"$work/plain.commands" 7<"$work/plain.answers"
start_cluster tls
exec 9>"$work/tls.commands" 6<"$work/tls.answers"

# Lets a client read so often; prints p50 and p99 in ms.
measured() { # plain or tls, command and its file
  local answer
  if [ "$1" = plain ]; then
    echo "${*:2} $reads" >&8
    read -r answer <&7 || fail "$2: $(tail -n 5 "$work/plain.err")"
  else
    echo "${*:2} $reads" >&9
    read -r answer <&6 || fail "$2 under TLS: $(tail -n 5 "$work/tls.err")"
  fi
  echo "$answer"
}

declare -A reads_of=([get]="small-gets v:/small" [open]="open-reads leaves:/large")
for kind in get open; do
  echo "== $kind, load average $(cut -d' ' -f1-3 /proc/loadavg)" >&2
  for ((round = -1; round <= rounds; round++)); do
    for security in plain tls; do
      # Words on purpose: a command and its file.
      # shellcheck disable=SC2086
      result=$(measured $security ${reads_of[$kind]})
      [ "$round" -le 0 ] || echo "$result" >>"$work/$kind-$security.samples"
    done
  done
done

median() { # samples, column
  cut -d' ' -f"$2" "$work/$1.samples" | sort -n | sed -n "$(((rounds + 1) / 2))p"
}

row() { # text, samples
  echo "| $1 | $(median "$2-plain" 1) ms, $(median "$2-plain" 2) ms | $(median "$2-tls" 1) ms, $(median "$2-tls" 2) ms |"
}

echo
echo '| by a started client, from a disk of a helper: p50, p99 | plain text | TLS |'
echo '|---|---|---|'
row "get of 4 KiB, which asks for a plan each time" get
row "read of 1 KiB of an open file, in leaves of 16 KiB" open
