#!/usr/bin/env bash
# Resolves the dependencies of applications outside of this build. Uses a temporary local repository with the modules
# that ./mvnw verify has built; what no build has fetched before comes from Maven Central. Prints a line for each
# application; fails when an application gets two versions of Netty.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
version=$(sed -n 's:^  <version>\(.*\)</version>:\1:p' pom.xml | head -1)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fetched=${MAVEN_REPOSITORY:-$HOME/.m2/repository}

publish() { # artifact, pom, jar or nothing
  local place="$scratch/repository/io/cloudmw/$1/$version"
  mkdir -p "$place"
  cp "$2" "$place/$1-$version.pom"
  [ -z "${3:-}" ] || cp "$3" "$place/$1-$version.jar"
}

publish cloudmw pom.xml
publish cloudmw-bom cloudmw-client/bom/pom.xml
for module in proto core client; do
  jar=cloudmw-$module/target/cloudmw-$module-$version.jar
  [ -f "$jar" ] || { echo "$jar is missing: run ./mvnw verify first" >&2; exit 2; }
  publish "cloudmw-$module" "cloudmw-$module/pom.xml" "$jar"
done

application() { # name, dependencyManagement, version element of the client, more dependencies
  mkdir -p "$scratch/$1"
  cat >"$scratch/$1/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.example</groupId>
  <artifactId>$1</artifactId>
  <version>1</version>
  $2
  <dependencies>
    <dependency>
      <groupId>io.cloudmw</groupId>
      <artifactId>cloudmw-client</artifactId>
      $3
    </dependency>
    $4
  </dependencies>
</project>
POM
  if ! "$root/mvnw" -B -ntp -q -f "$scratch/$1/pom.xml" "-Dmaven.repo.local=$scratch/repository" \
    "-Dmaven.repo.local.tail=$fetched" org.apache.maven.plugins:maven-dependency-plugin:3.9.0:list \
    -DincludeScope=runtime "-DoutputFile=$scratch/$1/list" >"$scratch/$1/log" 2>&1; then
    cat "$scratch/$1/log" >&2
    echo "$1: not resolved"
    return 1
  fi
  versions=$(grep -o 'io\.netty:[^ ]*' "$scratch/$1/list" | grep -o '[0-9][0-9.]*\.Final' | sort -u | tr '\n' ' ')
  echo "$1: Netty $versions"
  [ "$(echo "$versions" | wc -w)" -eq 1 ]
}

bom="<dependencyManagement><dependencies><dependency><groupId>io.cloudmw</groupId><artifactId>cloudmw-bom</artifactId>
  <version>$version</version><type>pom</type><scope>import</scope></dependency></dependencies></dependencyManagement>"
grpc="<dependency><groupId>io.grpc</groupId><artifactId>grpc-netty</artifactId></dependency>"
application client-alone "" "<version>$version</version>" ""
application client-and-bom "$bom" "" ""
application grpc-of-its-own-and-bom "$bom" "" "$grpc"
