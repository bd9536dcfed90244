#!/bin/sh
# Runs a command on a network of hosts, which are network namespaces of this machine, and removes the hosts afterwards.
#
#   hosts.sh COUNT RATE COMMAND [ARGUMENT...]
#
# Hosts 1 to COUNT have one interface each, shaped to RATE both ways (200mbit, 6400kbit; or "none"). COMMAND runs on host
# 0, which has the network switch between the hosts and is not shaped. Host N is the namespace cloudmw-N with the address
# 10.217.1.N. The machine's own network is not changed. Packets have up to 9001 bytes, as in a cloud's network.
#
# With CLOUDMW_HOSTS_QUEUE=pfifo_fast packets wait in the kernel's default queue, in which packets marked as urgent
# (IPTOS_LOWDELAY) overtake others. Otherwise packets wait in the queue of tbf, which makes no difference. TCP uses reno,
# since other algorithms may adapt to the shaping instead of filling the link (BBR does). Needs root and iproute2.
set -eu

name=cloudmw
net=10.217
mtu=9001

die() {
  echo "hosts.sh: $1" >&2
  exit 2
}

[ $# -ge 3 ] || die "usage: hosts.sh COUNT RATE COMMAND [ARGUMENT...]"
count=$1
rate=$2
shift 2
case $count in
  '' | *[!0-9]*) die "COUNT: $count (expected: 1..250)" ;;
esac
{ [ "$count" -ge 1 ] && [ "$count" -le 250 ]; } || die "COUNT: $count (expected: 1..250)"
case $rate in
  none) bits=0 ;;
  *kbit) bits=${rate%kbit}000 ;;
  *mbit) bits=${rate%mbit}000000 ;;
  *gbit) bits=${rate%gbit}000000000 ;;
  *) bits= ;;
esac
case $bits in
  '' | 0?* | *[!0-9]*) die "RATE: $rate (expected: a number and kbit, mbit or gbit; or none)" ;;
esac
# The length of the queue in packets: as many as tbf's own queue takes, which is 50 ms at the rate, and a burst.
burst=262144
packets=$(((bits / 20 / 8 + burst) / mtu))
queue=${CLOUDMW_HOSTS_QUEUE:-tbf}
case $queue in
  tbf | pfifo_fast) ;;
  *) die "CLOUDMW_HOSTS_QUEUE: $queue (expected: tbf or pfifo_fast)" ;;
esac
[ "$(id -u)" -eq 0 ] || die "needs root: network namespaces belong to it"
for tool in ip tc sysctl; do
  command -v "$tool" >/dev/null || die "no $tool found (Debian: apt-get install iproute2 procps)"
done
# Names the run that owns the hosts. Hosts that a killed run has left behind are removed here.
owner=/run/$name-hosts.pid
if [ -e "/run/netns/$name-0" ]; then
  other=$(cat "$owner" 2>/dev/null) || other=
  { [ -n "$other" ] && ! kill -0 "$other" 2>/dev/null; } ||
    die "$name-0 exists: another run has it (process ${other:-unknown}); ip netns del $name-0 and so on takes it down"
  for left in /run/netns/"$name"-*; do ip netns del "${left##*/}" || true; done
fi
echo $$ >"$owner"

take_down() {
  n=0
  while [ "$n" -le "$count" ]; do
    ip netns del "$name-$n" 2>/dev/null || true
    n=$((n + 1))
  done
}

add() { # number
  ip netns add "$name-$1"
  ip -n "$name-$1" link set lo up
  ip netns exec "$name-$1" sysctl -qw net.ipv4.tcp_congestion_control=reno
}

shape() { # namespace, interface
  [ "$rate" = none ] && return
  ip netns exec "$1" tc qdisc add dev "$2" root handle 1: tbf rate "$rate" burst "$burst" latency 50ms
  [ "$queue" = pfifo_fast ] || return 0
  ip -n "$1" link set "$2" txqueuelen "$packets" gso_max_segs 1
  ip netns exec "$1" tc qdisc add dev "$2" parent 1:1 handle 10: pfifo_fast
}

set_up() {
  add 0
  ip -n $name-0 link add br0 type bridge
  ip -n $name-0 addr add $net.1.0/16 dev br0
  ip -n $name-0 link set br0 up
  n=1
  while [ "$n" -le "$count" ]; do
    add $n
    ip -n $name-0 link add "port$n" mtu $mtu type veth peer name eth0 mtu $mtu netns "$name-$n"
    ip -n $name-0 link set "port$n" master br0 up
    ip -n "$name-$n" addr add "$net.1.$n/16" dev eth0
    ip -n "$name-$n" link set eth0 up
    shape $name-0 "port$n"
    shape "$name-$n" eth0
    n=$((n + 1))
  done
}

made=
leave() {
  trap '' INT TERM HUP
  [ -n "$made" ] || echo "hosts.sh: no network namespaces, veth, bridges or tbf to be had here (see above)" >&2
  take_down
  rm -f "$owner"
}

trap leave EXIT
# A shell killed by a signal runs no EXIT trap, so a signal makes the script exit by itself.
trap 'made=stopped; exit 130' INT
trap 'made=stopped; exit 143' TERM HUP
set_up
made=yes
# The command runs in the background, so that a signal takes effect before its end. Its standard input is kept.
ip netns exec $name-0 "$@" <&0 &
child=$!
trap 'kill -TERM $child 2>/dev/null || true' INT TERM HUP
status=0
wait $child || status=$?
# A signal ends only the wait, so the loop waits for the command again.
while kill -0 $child 2>/dev/null; do
  wait $child || status=$?
done
exit $status
