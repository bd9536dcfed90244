# Functions for scripts that run servers of the release before and of this build. Sourced by versions.sh, rolling.sh,
# procedures.sh and ordinary.sh.
#
# The file previous-release names the commit of the release before. Its jars are built once, from the Git history of this
# repository, and kept below target. Those of this build are the ones that the launcher finds, or makes. Needs Linux on
# x86-64, for the native libraries of DynamoDB Local.

script=${0##*/}
root=$(cd "$(dirname "$0")/.." && pwd)
# Deadlines only detect hanging commands, so they are generous for slow machines.
patience=300

commit=$(cat "$root/integration-tests/previous-release")
previous=$root/integration-tests/target/previous-release/$commit
# The launcher of each version.
declare -A launchers=([old]=$previous/cloudmw [new]=$root/cloudmw)

package_previous() {
  (cd "$previous.sources" && ./mvnw -B -ntp -q -DskipTests -Dspotless.check.skip=true \
    -pl cloudmw-client/cli,cloudmw-helper -am package)
}

# Builds the jars of the release before in a directory of its own.
build_previous() {
  local before=$SECONDS log=$previous.log
  [ -x "$previous/cloudmw" ] && return
  git -C "$root" cat-file -e "$commit^{commit}" 2>/dev/null \
    || { echo "$script: commit $commit is missing: fetch the history (git fetch --unshallow)" >&2; exit 2; }
  rm -rf "$previous" "$previous.sources"
  mkdir -p "$previous.sources" "$previous.new/lib"
  git -C "$root" archive "$commit" | tar -x -C "$previous.sources"
  # A second time, because javac of JDK 17 refuses generated code of gRPC by chance ("inference variable RespT has
  # incompatible equality constraints"; github.com/googleapis/google-cloud-java/issues/11067).
  package_previous >"$log" 2>&1 || { cat "$log"; package_previous >"$log" 2>&1; } \
    || { cat "$log"; echo "$script: $commit does not build" >&2; exit 1; }
  cp "$previous.sources"/cloudmw-client/cli/target/cloudmw-cli-*-all.jar \
    "$previous.sources"/cloudmw-helper/target/cloudmw-helper-*-all.jar "$previous.new/lib/"
  cp "$previous.sources/cloudmw" "$previous.new/"
  mv "$previous.new" "$previous"
  rm -rf "$previous.sources"
  echo "built ${commit:0:8} in $((SECONDS - before)) s"
}

# Builds what is missing of this build.
build_this() {
  "$root/cloudmw" --version >/dev/null
  "$root/cloudmw" coordinator --version >/dev/null
}

# Makes a working directory, which is removed at the end with all processes, and an environment without settings of the
# user's.
begin_work() {
  work=$(mktemp -d "${TMPDIR:-/tmp}/cloudmw-${script%.sh}-XXXXXX")
  export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_EC2_METADATA_DISABLED=true
  # Notes of puts, and what peers keep.
  export XDG_STATE_HOME=$work/state XDG_CACHE_HOME=$work/cache
  # The release before refuses settings that it does not know.
  unset CLOUDMW_COORDINATOR CLOUDMW_PROCESS_WARM_UP_TIME
  mkdir "$work/pids"
  trap finish EXIT
}

finish() {
  stop_all KILL
  wait 2>/dev/null || true
  rm -rf "$work"
}

stop() { # signal, name
  local pid
  pid=$(cat "$work/pids/$2")
  kill "-$1" "$pid" 2>/dev/null || true
  wait_for_end "$pid"
  rm "$work/pids/$2"
}

stop_all() { # signal
  local file
  for file in "$work"/pids/*; do
    [ ! -e "$file" ] || stop "$1" "${file##*/}"
  done
}

wait_for_end() { # pid
  local deadline=$((SECONDS + patience))
  while [ -d "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; do
    [ $SECONDS -lt $deadline ] || { echo "process $1 still runs after $patience s"; return 1; }
    sleep 0.1
  done
}

fail() { # reason
  echo "$*"
  exit 1
}

# Repeats a command until it succeeds.
eventually() { # command
  local deadline=$((SECONDS + patience))
  until "$@"; do
    [ $SECONDS -lt $deadline ] || fail "still not so after $patience s: $*"
    sleep 0.2
  done
}

cloudmw() { # old or new, arguments
  "${launchers[$1]}" "${@:2}"
}

# Starts a server and waits until it says "ready". The server does not get descriptor 8, which is the script's own. The
# variable "gently" has a command that runs it (nice). It does not warm up, unless the variable "warm_up_time" has a time or
# nothing, for the default; the release before has no such setting.
serve() { # name, old or new, arguments
  local name=$1 deadline=$((SECONDS + patience)) warm_up=()
  [ "$2" = old ] || [ -z "${warm_up_time-0s}" ] || warm_up=(env "CLOUDMW_PROCESS_WARM_UP_TIME=${warm_up_time-0s}")
  : >"$work/$name.out"
  # Not by a function: its shell would be the process that is stopped.
  ${gently:-} ${warm_up[@]+"${warm_up[@]}"} "${launchers[$2]}" "${@:3}" >"$work/$name.out" 2>>"$work/$name.err" 8>&- &
  echo $! >"$work/pids/$name"
  # Bash then does not report that it was killed.
  disown $!
  until grep -q '^ready' "$work/$name.out"; do
    kill -0 "$(cat "$work/pids/$name")" 2>/dev/null || fail "$name ended: $(tail -n 5 "$work/$name.err")"
    [ $SECONDS -lt $deadline ] || fail "$name is not ready after $patience s"
    sleep 0.1
  done
}

# Starts DynamoDB Local. The options of coordinators that share a table in it are in the array "table".
start_dynamodb() {
  local port deadline=$((SECONDS + patience)) libraries=$root/integration-tests/dynamodb-local/target/jars
  ls "$libraries"/DynamoDBLocal-*.jar >/dev/null 2>&1 \
    || (cd "$root" && ./mvnw -B -ntp -q -pl integration-tests/dynamodb-local generate-test-resources)
  port=$(free_ports 1)
  "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Xmx256m -XX:+UseSerialGC "-Djava.library.path=$libraries" -cp "$libraries/*" \
    com.amazonaws.services.dynamodbv2.local.main.ServerRunner -inMemory -disableTelemetry -port "$port" \
    >"$work/dynamodb.out" 2>&1 8>&- &
  echo $! >"$work/pids/dynamodb"
  disown $!
  until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
    kill -0 "$(cat "$work/pids/dynamodb")" 2>/dev/null || fail "DynamoDB Local ended: $(cat "$work/dynamodb.out")"
    [ $SECONDS -lt $deadline ] || fail "DynamoDB Local is not ready after $patience s"
    sleep 0.2
  done
  table=(--catalog dynamodb:versions -D coordinator.catalog-region=eu-west-1
    -D "coordinator.catalog-endpoint=http://127.0.0.1:$port")
}

# Prints the first of so many ports in a row on which nothing listens. They are below those that the kernel gives out.
free_ports() { # number
  local first port used
  while :; do
    first=$((20000 + RANDOM % 10000))
    used=
    for ((port = first; port < first + $1; port++)); do
      ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || used=yes
    done
    [ -n "$used" ] || break
  done
  echo "$first"
}
