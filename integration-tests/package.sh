#!/usr/bin/env bash
# Builds the packages twice and compares them. Then installs the Debian package on two bare Debian roots and uses it as
# an operator does: by its units, over an upgrade in the middle of a read, until it is purged. Prints a line for each
# check; when one fails, prints its log and exits with 1.
#
# Needs Linux, root, debootstrap and iproute2. Without root or debootstrap it says so and succeeds, unless
# CLOUDMW_REQUIRE_DEBOOTSTRAP=1. The roots, and all processes on them, are in namespaces and end with the script. They
# have no network but their own; instead of systemd, package/systemctl runs the units by the lines of their files.
#
# Where buildah is, it makes the container image of the package as well (CLOUDMW_REQUIRE_BUILDAH=1: it must be there).
#
#   CLOUDMW_PACKAGES=built   installs the packages of the last run, which are below target
#   CLOUDMW_DEBIAN_MIRROR    where the root comes from (http://deb.debian.org/debian)
#   CLOUDMW_DEBIAN_SUITE     its release (bookworm)
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
suite=${CLOUDMW_DEBIAN_SUITE:-bookworm}
mirror=${CLOUDMW_DEBIAN_MIRROR:-http://deb.debian.org/debian}
target=$root/integration-tests/target/package
base=$target/base-$suite
dist=$root/cloudmw-dist/target
work=${CLOUDMW_PACKAGE_WORK:-}

missing() { # what
  echo "package.sh: $1, so no package is installed" >&2
  [ -z "${CLOUDMW_REQUIRE_DEBOOTSTRAP:-}" ] || exit 2
  exit 0
}

version() {
  sed -n 's:^  <version>\(.*\)</version>:\1:p' "$root/pom.xml" | head -n 1
}

# Runs a check and prints its line. What the check prints itself is shown only when it fails.
check() { # name, command
  local name=$1 before=$SECONDS log
  log=$work/check.log
  shift
  : >"$work/said"
  # In a condition the option -e would have no effect.
  set +e
  (
    set -e
    "$@"
  ) >"$log" 2>&1
  local status=$?
  set -e
  if [ "$status" -eq 0 ]; then
    printf 'ok      %-15s %3d s  %s\n' "$name" $((SECONDS - before)) "$(cat "$work/said")"
  else
    printf 'FAILED  %-15s %3d s\n' "$name" $((SECONDS - before))
    sed 's/^/        /' "$log"
    [ ! -d "$work/1" ] || tail -n 15 "$work"/?/root/run/units/*.log 2>/dev/null | sed 's/^/        /'
    exit 1
  fi
}

# Fails the check when the command succeeds.
not() { # command
  if "$@"; then
    echo "this succeeded, and must not: $*"
    exit 1
  fi
}

say() {
  printf '%s' "$*" >"$work/said"
}

# --- The first half, with network: packages, and a root that they are installed on.

build() { # version, directory for the results
  (cd "$root" && ./mvnw -B -ntp -q -Pdist -DskipTests -Dspotless.check.skip=true -pl cloudmw-dist -am package \
    "-Ddist.version=$1")
  mkdir -p "$2"
  mv "$dist/cloudmw-$1.tar.gz" "$dist/cloudmw_$1_all.deb" "$dist/cloudmw-$1-sbom.json" "$2/"
}

# Of the jars those are built again that are made of other jars; classes that are compiled already are not compiled again.
forget_jars() {
  rm -rf "$dist"
  rm -f "$root"/cloudmw-helper/target/*.jar "$root"/cloudmw-client/cli/target/*-all.jar
}

build_twice() {
  rm -rf "$dist"
  build "$(version)" "$target/first"
  forget_jars
  build "$(version)" "$target/second"
  local file
  for file in "$target"/first/*; do
    cmp "$file" "$target/second/${file##*/}"
  done
  say "archive, .deb and bill of materials are the same, byte for byte"
}

build_next() {
  rm -rf "$dist"
  build 9.9.9 "$target/next"
  say "a package of version 9.9.9"
}

make_base() {
  [ ! -e "$base.made" ] || { say "kept from the last run"; return 0; }
  rm -rf "$base"
  mkdir -p "$target"
  debootstrap --variant=minbase "$suite" "$base" "$mirror"
  # The JRE's certificates are made by Java, which wants /proc.
  unshare --mount --pid --fork --mount-proc="$base/proc" chroot "$base" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends openjdk-17-jre-headless
  touch "$base.made"
  say "Debian $suite, $(du -sh "$base" | cut -f 1)"
}

# Makes the container image, with the bare root in the place of Debian's image, and runs a coordinator and the demo in it.
run_container() {
  command -v buildah >/dev/null || {
    [ -z "${CLOUDMW_REQUIRE_BUILDAH:-}" ] || { echo "there is no buildah"; return 1; }
    say "there is no buildah, so no image is made"
    return 0
  }
  local context=$work/image container
  local -a buildah=(buildah --root "$work/containers" --runroot "$work/containers.run" --storage-driver vfs)
  export BUILDAH_ISOLATION=chroot
  mkdir -p "$context"
  cp "$target"/first/*.deb "$context"
  tar -C "$base" -cf "$context/base.tar" --exclude='./proc/*' --exclude='./dev/*' .
  printf 'FROM scratch\nADD base.tar /\n' >"$context/Base"
  "${buildah[@]}" build -q -f "$context/Base" -t "docker.io/library/debian:$suite-slim" "$context"
  rm "$context/base.tar"
  "${buildah[@]}" build -q --pull-never --network host -f "$root/cloudmw-dist/Containerfile" -t cloudmw "$context"
  container=$("${buildah[@]}" from --pull-never localhost/cloudmw)
  # Containers of this isolation have the network of who starts them.
  unshare --net bash -ec 'ip link set lo up && "$@"' bash "${buildah[@]}" run "$container" -- bash -exc '
    [ "$(id -un)" = cloudmw ]
    cloudmw coordinator --config /etc/cloudmw/coordinator.properties >/tmp/log 2>&1 &
    timeout 60 bash -c "until grep -q ^ready /tmp/log; do sleep 0.2; done" || { cat /tmp/log; exit 1; }
    [ "$(stat -c %U:%a authority.pem admin.token cluster.secret | sort -u)" = cloudmw:600 ]
    if cloudmw status; then exit 1; fi
    cloudmw status --token-file /var/lib/cloudmw/admin.token
    kill %1
    wait %1 || [ $? = 143 ]
    cloudmw demo'
  "${buildah[@]}" rm --all
  "${buildah[@]}" rmi --all
  say "an image of the package; coordinator and demo run in a container of it"
}

if [ -z "$work" ]; then
  [ "$(uname)" = Linux ] && [ "$(id -u)" = 0 ] || missing "it needs root on Linux"
  PATH=$PATH:/usr/sbin:/sbin
  for program in debootstrap unshare ip; do
    command -v "$program" >/dev/null || missing "there is no $program"
  done
  unshare --net --mount --pid --fork true 2>/dev/null || missing "namespaces are refused"
  work=$(mktemp -d "${TMPDIR:-/tmp}/cloudmw-package-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  export CLOUDMW_PACKAGE_WORK=$work
  if [ "${CLOUDMW_PACKAGES:-}" != built ]; then
    rm -rf "$target/first" "$target/second" "$target/next"
    check reproducible build_twice
    check next build_next
  fi
  check base make_base
  check container run_container
  unshare --net --mount --pid --fork --kill-child --mount-proc "$0"
  exit
fi

# --- The second half, in namespaces of its own.

on() { # machine, command
  chroot "$work/$1/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "${@:2}"
}

# A machine is the root of the base with a layer of its own. It believes that systemd runs.
make_machine() { # number
  local here=$work/$1
  mkdir -p "$here/layer" "$here/scratch" "$here/root"
  mount -t overlay -o "lowerdir=$base,upperdir=$here/layer,workdir=$here/scratch" overlay "$here/root" 2>/dev/null || {
    cp -a "$base/." "$here/root/"
    mount --bind "$here/root" "$here/root"
  }
  mount -t proc proc "$here/root/proc"
  mount --rbind /dev "$here/root/dev"
  mkdir -p "$here/root/run/systemd/system"
  cp "$root/integration-tests/package/systemctl" "$here/root/usr/bin/systemctl"
  not on "$1" sh -c 'command -v cloudmw'
}

install_package() { # machine, directory of the package
  cp "$target/$2"/*.deb "$work/$1/root/tmp/"
  on "$1" apt-get install -y --no-install-recommends -o Dpkg::Options::=--force-confold \
    "/tmp/$(basename "$target/$2"/*.deb)"
}

data_of() { # machine: what must never change
  (cd "$work/$1/root/var/lib/cloudmw" && find . -type f ! -path '*/spool/*' ! -name '*-wal' ! -name '*-shm' -print0 \
    | sort -z | xargs -0 sha256sum)
}

# Prints the links of documents to files that are not there; fails when there are none.
dead_links() { # directory
  local file link found=1
  while IFS=: read -r file link; do
    [ -e "$(dirname "$1/$file")/${link#*\(}" ] || { echo "$file: $link"; found=0; }
  done < <(cd "$1" && grep -roE '\]\([^):#]+' --include='*.md' .)
  return "$found"
}

check_install() {
  make_machine 1
  make_machine 2
  install_package 1 first
  install_package 2 first
  local printed machine
  for machine in 1 2; do
    printed=$(on $machine setpriv --reuid nobody --clear-groups cloudmw --version)
    [[ $printed == "cloudmw $(version) "* ]]
    on $machine sh -c 'test "$(stat -c %U:%a /var/lib/cloudmw)" = cloudmw:750'
    not on $machine systemctl is-active cloudmw-coordinator
  done
  on 1 test -r /usr/share/man/man1/cloudmw-helper.1.gz
  on 1 bash -n /usr/share/bash-completion/completions/cloudmw
  on 1 test -r /usr/share/doc/cloudmw/docs/configuration.md
  cmp "$work/1/root/usr/share/doc/cloudmw/sbom.json" "$target"/first/*-sbom.json
  tar -xzOf "$(echo "$target"/first/*.tar.gz)" --wildcards '*-sbom.json' | cmp - "$target"/first/*-sbom.json
  not dead_links "$work/1/root/usr/share/doc/cloudmw/docs"
  # A helper without a name does not start, and says which setting it lacks.
  not on 1 systemctl start cloudmw-helper
  grep -q 'helper\.id' "$work/1/root/run/units/cloudmw-helper.service.log"
  say "$printed"
}

configure() { # machine, lines of helper.properties
  printf '%s\n' "${@:2}" >>"$work/$1/root/etc/cloudmw/helper.properties"
}

check_start() {
  configure 1 helper.id=h1 helper.disk.d1.path=/var/lib/cloudmw/helper/d1 \
    helper.disk.d3.path=/var/lib/cloudmw/helper/d3 helper.disk.d3.domain=h3
  # Both machines have one address here.
  configure 2 helper.id=h2 helper.disk.d2.path=/var/lib/cloudmw/helper/d2 helper.http.listen=127.0.0.1:7482
  on 1 systemctl start cloudmw-coordinator
  on 1 systemctl start cloudmw-helper
  on 1 cat /var/lib/cloudmw/cluster.secret | on 2 install -m 600 -o cloudmw -g cloudmw /dev/stdin \
    /var/lib/cloudmw/cluster.secret
  on 2 systemctl start cloudmw-helper
  take_token 1
  on 1 cat /var/lib/cloudmw/admin.token | on 2 install -D -m 600 /dev/stdin /root/.cloudmw/admin.token
  say "coordinator and helpers, ready by their units"
}

# Gives the administrator's token to root's commands, as docs/packages.md says.
take_token() { # machine
  on "$1" install -D -m 600 /var/lib/cloudmw/admin.token /root/.cloudmw/admin.token
}

as_nobody() { # machine, command
  on "$1" env HOME=/nonexistent setpriv --reuid nobody --regid nogroup --clear-groups "${@:2}"
}

# What the first start made is the service's own, connections are TLS by the cluster's authority, and without a token
# nobody is let in.
check_trust() {
  local file pem=/var/lib/cloudmw/authority.pem shown
  for file in authority.pem admin.token cluster.secret; do
    [ "$(on 1 stat -c %U:%G:%a "/var/lib/cloudmw/$file")" = cloudmw:cloudmw:600 ]
    not as_nobody 1 cat "/var/lib/cloudmw/$file"
  done
  not on 2 test -e "$pem" -o -e /var/lib/cloudmw/admin.token
  shown=$(on 1 sh -c "openssl s_client -connect 127.0.0.1:7400 -alpn h2 -tls1_3 -CAfile $pem -verify_return_error </dev/null")
  grep -q '^issuer=CN *= *CloudMW authority' <<<"$shown"
  grep -q 'Verify return code: 0 (ok)' <<<"$shown"
  # The machine has another authority in no list of its own.
  not on 1 sh -c 'openssl s_client -connect 127.0.0.1:7400 -alpn h2 -tls1_3 -verify_return_error </dev/null'
  on 1 cloudmw whoami | tee "$work/whoami"
  grep -q admin "$work/whoami"
  not as_nobody 1 cloudmw status
  not as_nobody 1 cloudmw status --insecure --timeout 5s
  not as_nobody 1 cloudmw status --token-file /var/lib/cloudmw/admin.token
  # A token with the right form and another secret.
  on 1 sed 's/:[A-Za-z0-9_-]\{43\}:/:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA:/' /var/lib/cloudmw/admin.token \
    | on 1 install -m 600 -o nobody /dev/stdin /tmp/guess
  not as_nobody 1 cloudmw status --token-file /tmp/guess
  # The same user with the right one.
  on 1 install -m 600 -o nobody /var/lib/cloudmw/admin.token /tmp/given
  as_nobody 1 cloudmw status --token-file /tmp/given
  rm "$work/1/root/tmp/guess" "$work/1/root/tmp/given"
  say "TLS by the cluster's own authority, whose files only the service reads; others are refused"
}

check_put_and_get() {
  head -c $((128 * 1048576)) /dev/urandom >"$work/1/root/tmp/file"
  on 1 cloudmw volume create data --chunk-size 8MiB --replicas 2 --store d1 --store d2 --store d3
  on 1 cloudmw put -q /tmp/file data:/file
  on 2 cloudmw get -q data:/file /tmp/back
  cmp "$work/1/root/tmp/file" "$work/2/root/tmp/back"
  say "128 MiB through the units' processes"
}

# The reader takes an eighth of the file, waits until both machines were upgraded, and takes the rest.
check_upgrade() {
  local reader before machine
  before=$(cat "$work"/?/root/run/units/*.pid | sort)
  mkfifo "$work/pipe"
  on 1 cloudmw cat data:/file >"$work/pipe" &
  reader=$!
  exec 5<"$work/pipe"
  head -c $((16 * 1048576)) <&5 >"$work/read"
  for machine in 1 2; do
    install_package $machine next
    [[ $(on $machine cloudmw --version) == "cloudmw "* ]]
    on $machine sh -c 'ls /usr/share/cloudmw/lib' | grep -q 9.9.9
    not on $machine sh -c 'ls /usr/share/cloudmw/lib | grep -v 9.9.9'
    on $machine systemctl is-active cloudmw-helper
  done
  [ "$(cat "$work"/?/root/run/units/*.pid | sort | comm -12 - <(echo "$before") | wc -l)" = 0 ] \
    || { echo "a process of the version before still runs"; exit 1; }
  kill -0 "$reader"
  cat <&5 >>"$work/read"
  exec 5<&-
  wait "$reader"
  cmp "$work/read" "$work/1/root/tmp/file"
  grep -q '^helper.id=h1$' "$work/1/root/etc/cloudmw/helper.properties"
  say "coordinator and both helpers, one after the other, while one read went on"
}

check_drain() {
  sed -i -e 's/^CLOUDMW_STOP_DRAINS=no$/CLOUDMW_STOP_DRAINS=yes/' -e 's/^#\(CLOUDMW_TOKEN_FILE=\)/\1/' \
    "$work/2/root/etc/cloudmw/helper.env"
  on 1 cloudmw token create --subject drain --ttl 1d --out /tmp/operator.token
  on 1 cloudmw grant drain --role operator
  on 1 cat /tmp/operator.token | on 2 install -m 600 -o cloudmw -g cloudmw /dev/stdin /var/lib/cloudmw/operator.token
  rm "$work/1/root/tmp/operator.token"
  # A restart drains nothing.
  on 2 systemctl restart cloudmw-helper
  not on 2 test -e /var/lib/cloudmw/helper/drained
  on 2 systemctl stop cloudmw-helper
  on 2 test -e /var/lib/cloudmw/helper/drained
  grep -q 'no copy is left in d2' "$work/2/root/run/units/cloudmw-helper.service.log"
  on 2 systemctl start cloudmw-helper
  not on 2 test -e /var/lib/cloudmw/helper/drained
  on 1 cloudmw store ls --json | tail -n 1 | tee "$work/stores"
  grep -q '"draining":false' "$work/stores"
  not grep -q '"draining":true' "$work/stores"
  say "stopping made the copies elsewhere first, starting uses the disk again"
}

# Root collects what belongs to the units, with the runtime alone: no JDK is installed.
check_support_bundle() {
  local unit
  on 1 cloudmw support-bundle --json -o /tmp/bundle.zip | tail -n 1 | tee "$work/bundle"
  for unit in coordinator helper; do
    grep -q "\"configuration/etc/cloudmw/$unit.env\".*\"missing\"" "$work/bundle"
    grep -q "\"threads/$(cat "$work/1/root/run/units/cloudmw-$unit.service.pid").txt\".*\"missing\"" "$work/bundle"
  done
  rm "$work/1/root/tmp/bundle.zip"
  say "configuration and threads of both units"
}

check_memory() {
  local pid unit peak most said=
  for unit in coordinator helper; do
    pid=$(cat "$work/1/root/run/units/cloudmw-$unit.service.pid")
    peak=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$pid/status")
    most=$(sed -n 's/^MemoryMax=\([0-9]*\)G$/\1/p' "$root/cloudmw-dist/src/systemd/cloudmw-$unit.service")
    [ "$peak" -lt $((most * 1048576)) ]
    said="$said$unit $((peak / 1024)) MiB of $((most * 1024)); "
  done
  say "${said%; }"
}

check_remove() {
  local before
  on 1 systemctl stop cloudmw-coordinator
  on 1 systemctl start cloudmw-coordinator
  on 1 systemctl start cloudmw-helper
  on 1 apt-get remove -y cloudmw
  not on 1 systemctl is-active cloudmw-coordinator
  not on 1 systemctl is-active cloudmw-helper
  not on 1 test -e /usr/share/cloudmw -o -e /usr/bin/cloudmw
  grep -q '^helper.id=h1$' "$work/1/root/etc/cloudmw/helper.properties"
  data_of 1 >"$work/data"
  [ "$(wc -l <"$work/data")" -ge 20 ]
  install_package 1 next
  on 1 systemctl start cloudmw-coordinator
  on 1 systemctl start cloudmw-helper
  rm "$work/2/root/tmp/back"
  on 2 cloudmw get -q data:/file /tmp/back
  cmp "$work/1/root/tmp/file" "$work/2/root/tmp/back"
  say "configuration and data stayed, and an installation after it serves them"
}

check_purge() {
  on 1 systemctl stop cloudmw-helper
  on 1 systemctl stop cloudmw-coordinator
  data_of 1 >"$work/data"
  on 1 apt-get purge -y cloudmw
  data_of 1 | diff "$work/data" -
  not on 1 test -e /etc/cloudmw -o -e /usr/share/cloudmw -o -e /var/cache/cloudmw
  on 1 getent passwd cloudmw
  not on 1 dpkg -L cloudmw
  say "catalog, disks and secret are left, and the user they belong to: $(wc -l <"$work/data") files"
}

# Hundredths of a second of processor time: of the ended children of a shell, and of the units' processes.
processor_time() { # pid of the shell, machine
  local pid sum
  sum=$(sed 's/.*) //' "/proc/$1/stat" | awk '{print $14 + $15}')
  for pid in $(cat "$work/$2"/root/run/units/*.pid 2>/dev/null); do
    sum=$((sum + $(sed 's/.*) //' "/proc/$pid/stat" | awk '{print $12 + $13 + $14 + $15}')))
  done
  echo "$sum"
}

# From the package on a bare root to the bytes of a file.
check_first_read() {
  local began used
  make_machine 3
  head -c 1048576 /dev/urandom >"$work/3/root/tmp/file"
  began=$(date +%s%N)
  used=$(processor_time "$BASHPID" 3)
  install_package 3 first
  configure 3 helper.id=h3 helper.disk.d3.path=/var/lib/cloudmw/helper/d3
  on 3 systemctl start cloudmw-coordinator
  on 3 systemctl start cloudmw-helper
  take_token 3
  on 3 cloudmw volume create data --replicas 1 --store d3
  on 3 cloudmw put -q /tmp/file data:/file
  on 3 cloudmw cat data:/file >"$work/first"
  used=$(($(processor_time "$BASHPID" 3) - used))
  began=$(($(date +%s%N) - began))
  cmp "$work/first" "$work/3/root/tmp/file"
  say "$(awk -v cpu=$used -v nanos=$began \
    'BEGIN { printf "installed, started, put and read after %.1f s and %.1f CPU-s", nanos / 1e9, cpu / 100 }')"
  on 3 systemctl stop cloudmw-helper
  on 3 systemctl stop cloudmw-coordinator
  # The other checks look at the processes of all machines.
  rm -r "$work/3/root/run/units"
}

ip link set lo up
for name in first-read install start trust put-and-get support-bundle upgrade drain memory remove purge; do
  check "$name" "check_${name//-/_}"
done
