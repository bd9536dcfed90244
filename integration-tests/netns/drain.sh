#!/usr/bin/env bash
# Measures the drain of a helper against the limit of its network: the helper has the only copies of 10 GiB, and two
# others take them over links of the same rate. The limit is what one TCP connection to each of the two carries in the
# same run. Prints both times, their ratio, and what the processes took.
#
#   integration-tests/netns/drain.sh [RATE [GIB]]      (1gbit 10)
#
# RATE is as for hosts.sh, which makes the hosts. Needs root, iproute2, python3, and three times GIB where temporary files
# go. Copies are written durably: the disk has to take them at the rate of the network.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
cloudmw=$root/cloudmw
rate=${1:-1gbit}
gib=${2:-10}
net=10.217.1

if [ -z "${CLOUDMW_DRAIN:-}" ]; then
  # The build needs the network, which the hosts do not have.
  "$cloudmw" --version >/dev/null
  "$cloudmw" coordinator --version >/dev/null
  CLOUDMW_DRAIN=1 exec "$root/integration-tests/netns/hosts.sh" 3 "$rate" "$0" "$rate" "$gib"
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/cloudmw-drain-XXXXXX")
export CLOUDMW_COORDINATOR=$net.0:7400
pids=()
names=()

finish() {
  local pid
  for pid in "${pids[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

on() { # host, command
  local host=$1
  shift
  if [ "$host" = 0 ]; then exec "$@"; else exec ip netns exec "cloudmw-$host" "$@"; fi
}

serve() { # name, host, command
  local name=$1 host=$2
  shift 2
  (on "$host" "$@") >"$work/$name.out" 2>"$work/$name.err" &
  pids+=($!)
  names+=("$name")
  until grep -q '^ready' "$work/$name.out"; do
    kill -0 ${pids[-1]} 2>/dev/null || { cat "$work/$name.err"; exit 1; }
    sleep 0.2
  done
}

now() {
  date +%s.%N
}

# Sends bytes from host 1 to hosts 2 and 3 at the same time, and prints the seconds until both have all.
send() { # MiB to each
  local host
  for host in 2 3; do
    ip netns exec cloudmw-$host python3 -c '
import socket, sys
server = socket.create_server(("", 7900))
open(sys.argv[1], "w").close()
connection = server.accept()[0]
while connection.recv(1 << 20): pass
connection.sendall(b"all")' "$work/listens-$host" &
    until [ -e "$work/listens-$host" ]; do sleep 0.1; done
    rm "$work/listens-$host"
  done
  ip netns exec cloudmw-1 python3 -c '
import socket, sys, threading, time
piece = bytes(1 << 20)
def send(host):
    connection = socket.create_connection((host, 7900))
    for i in range(int(sys.argv[1])): connection.sendall(piece)
    connection.shutdown(socket.SHUT_WR)
    assert connection.recv(3)
start = time.monotonic()
threads = [threading.Thread(target=send, args=(host,)) for host in sys.argv[2:]]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(time.monotonic() - start)' "$1" "$net.2" "$net.3"
}

cpu_seconds() { # pid
  awk -v hertz="$(getconf CLK_TCK)" '{ printf "%.1f", ($14 + $15) / hertz }' "/proc/$1/stat"
}

copies_left() {
  "$cloudmw" status --json | tail -n 1 | sed -n 's/.*"id":"d1"[^}]*"copies_left":\([0-9]*\).*/\1/p'
}

serve coordinator 0 "$cloudmw" coordinator --listen "$CLOUDMW_COORDINATOR" --data-dir "$work/coordinator" \
  --secret-file "$work/secret"
for host in 1 2 3; do
  mkdir "$work/h$host"
  serve "h$host" "$host" "$cloudmw" helper --id "h$host" --disk "d$host=$work/h$host/disk" \
    --coordinator "$CLOUDMW_COORDINATOR" --secret-file "$work/secret" -D "helper.spool.dir=$work/h$host/spool"
done
"$cloudmw" volume create data --chunk-size 64MiB --replicas 1 --store d1
head -c $((1 << 30)) /dev/urandom >"$work/file"
for ((number = 1; number <= gib; number++)); do
  "$cloudmw" put -q "$work/file" "data:/file-$number"
done
"$cloudmw" volume set data --add-store d2 --add-store d3
sync

# A quarter of the bytes is enough to measure the network: it takes as long again.
network=$(send $((gib * 128)))
before=()
for pid in "${pids[@]}"; do before+=("$(cpu_seconds "$pid")"); done
start=$(now)
"$cloudmw" drain --helper h1
while left=$(copies_left); [ "$left" != 0 ]; do sleep 0.2; done
end=$(now)
awk -v start="$start" -v end="$end" -v network="$network" -v gib="$gib" -v rate="$rate" 'BEGIN {
  limit = network * 4
  printf "drain of %d GiB over %s: %.1f s, network %.1f s, ratio %.3f\n", gib, rate, end - start, limit, (end - start) / limit
}'
for number in "${!pids[@]}"; do
  echo "${names[number]}: CPU-s $(awk -v a="$(cpu_seconds "${pids[number]}")" -v b="${before[number]}" 'BEGIN { print a - b }')"
done
echo "load average$(uptime | sed 's/.*average://')"
