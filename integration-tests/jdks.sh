#!/usr/bin/env bash
# Runs the client's tests on each JDK of this machine without JVM options, as an application runs the client.
# The build's JDK compiles the tests. After a ./mvnw verify, which fetches dependencies, no network is needed.
#
#   integration-tests/jdks.sh [--others] [TEST...]   patterns of test classes (default: all of the client's)
#   --others                              skips the build's JDK, on which ./mvnw verify tests
#   CLOUDMW_TEST_JDKS                     more JDKs: homes, separated by colons
#   CLOUDMW_REQUIRE_JDKS                  releases ("17 25") whose absence is a failure
set -euo pipefail
cd "$(dirname "$0")/.."

others=
if [ "${1:-}" = --others ]; then
  others=yes
  shift
fi

# Prints the release of the JDK that mvnw uses.
build_release() {
  "${JAVA_HOME:+$JAVA_HOME/bin/}java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p'
}

# Prints the home of a JDK of each release, one a line, with the build's JDK first.
find_jdks() {
  local home version seen=" "
  local -a named=()
  [ -z "$others" ] || seen=" $(build_release) "
  IFS=: read -r -a named <<<"${CLOUDMW_TEST_JDKS:-}"
  for home in "${JAVA_HOME:-}" ${named[@]+"${named[@]}"} /usr/lib/jvm/* /opt/java/* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home "$HOME"/Library/Java/JavaVirtualMachines/*/Contents/Home \
    "$HOME"/.sdkman/candidates/java/*; do
    [ -x "$home/bin/java" ] && [ -x "$home/bin/javac" ] && [ -r "$home/release" ] || continue
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release")
    [ "${version:-0}" -ge 17 ] || continue
    case $seen in *" $version "*) continue ;; esac
    seen="$seen$version "
    printf '%s %s\n' "$version" "$home"
  done
}

for release in ${CLOUDMW_REQUIRE_JDKS:-}; do
  [ -n "$others" ] && [ "$release" = "$(build_release)" ] && continue
  grep -q "^$release " <<<"$(find_jdks)" ||
    { echo "no JDK $release found, and CLOUDMW_REQUIRE_JDKS names it" >&2; exit 2; }
done

# LeakCheckTest needs a leak detector that a JVM option turns on, so it is left out.
tests=${*:-io/cloudmw/client/**/*Test,!LeakCheckTest}
failed=0
errors=60
jdks=$(find_jdks)
[ -n "$jdks" ] || { echo "no ${others:+other }JDK of 17 or later found: set JAVA_HOME or CLOUDMW_TEST_JDKS" >&2; exit 2; }
while read -r version home; do
  log=integration-tests/target/jdk-$version.log
  mkdir -p integration-tests/target
  # With an empty argLine Maven would use the default options; a space means no options.
  if ./mvnw -o -B -ntp -pl cloudmw-client -am test -Djvm="$home/bin/java" "-Dtest.jvm= " "-Dtest=$tests" \
    -Dsurefire.failIfNoSpecifiedTests=false >"$log" 2>&1 </dev/null; then
    echo "JDK $version ($home): $(grep -o 'Tests run: .*' "$log" | tail -1)"
  else
    failed=1
    echo "JDK $version ($home): failed, see $log; its errors:"
    grep '^\[ERROR\]' "$log" | head -"$errors" || true
    # The stacks that JUnit prints before it interrupts a test, of the thread that ran it.
    sed -n '/^"main" /,/^$/p' "$log" | head -"$errors"
  fi
done <<<"$jdks"
exit "$failed"
