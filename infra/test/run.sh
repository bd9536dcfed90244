#!/usr/bin/env bash
# Checks the Terraform of infra/: format, tables of the READMEs, validity, tests with a mocked provider, the life of a
# cluster on an AWS for tests, checkov.
#
#   infra/test/run.sh           everything, in some minutes
#   infra/test/run.sh --quick   format, tables, tests of the modules, validity of the examples that use every module; needs
#                               no Python packages
#
# Variables:
#   CLOUDMW_TERRAFORM_MIRROR      file-system mirror of providers (what terraform init -plugin-dir takes). Without it the
#                                 public registry; where that does not answer, a mirror on this machine is looked for
#   CLOUDMW_REQUIRE_TERRAFORM=1   a machine without terraform is a failure. Otherwise the script says so and ends with 0
#   CLOUDMW_TEST_PYTHON           the Python (3.9 or later) for moto and checkov, instead of python3
#
# Works on a copy in target/infra, where the Python packages of requirements.txt stay for the next time.
set -euo pipefail

infra=$(cd "$(dirname "$0")/.." && pwd)
root=${infra%/*}
area=$root/target/infra
python=${CLOUDMW_TEST_PYTHON:-python3}
longest_seconds=600

say() {
  echo "infra: $*"
}

if ! command -v terraform >/dev/null; then
  say "terraform is not on the path: nothing was checked (https://developer.hashicorp.com/terraform/install)" >&2
  [ "${CLOUDMW_REQUIRE_TERRAFORM:-}" != 1 ] || exit 1
  exit 0
fi
# The user's own configuration and credentials have no part in this.
export TF_CLI_CONFIG_FILE=/dev/null TF_IN_AUTOMATION=1 CHECKPOINT_DISABLE=1
unset AWS_PROFILE AWS_ENDPOINT_URL TF_CLI_ARGS TF_DATA_DIR TF_WORKSPACE

find_mirror() {
  local found
  if [ -n "${CLOUDMW_TERRAFORM_MIRROR:-}" ]; then
    mirror=$CLOUDMW_TERRAFORM_MIRROR
  elif curl -fsS -m 5 -o /dev/null https://registry.terraform.io/.well-known/terraform.json 2>/dev/null; then
    mirror=
  else
    found=$(timeout 60 find / -xdev -name 'terraform-provider-aws*' -path '*registry.terraform.io*' -type f -print -quit 2>/dev/null || true)
    if [ -z "$found" ]; then
      say "the registry does not answer, and this machine has no mirror: set CLOUDMW_TERRAFORM_MIRROR" >&2
      exit 1
    fi
    mirror=${found%/registry.terraform.io/*}
  fi
  if [ -n "$mirror" ]; then
    init=("-plugin-dir=$mirror")
    say "providers come from $mirror"
  else
    init=()
    mkdir -p "$area/providers"
    export TF_PLUGIN_CACHE_DIR=$area/providers TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE=1
    say "providers come from the public registry"
  fi
}

# Fresh copies, so that nothing is written beside the sources.
copy() { # name
  work=$area/$1
  rm -rf "$work"
  mkdir -p "$work"
  cp -R "$infra/modules" "$infra/examples" "$infra/test" "$work/"
  find "$work" \( -name .terraform -o -name '.terraform.lock.hcl' -o -name 'terraform.tfstate*' \) -prune -exec rm -rf {} +
}

init() { # directory
  local log
  if ! log=$(terraform -chdir="$1" init -input=false -no-color -backend=false ${init[@]+"${init[@]}"} 2>&1); then
    echo "$log" >&2
    return 1
  fi
}

validate() { # directory
  init "$1"
  terraform -chdir="$1" validate -no-color >"$area/validate.log" || { cat "$area/validate.log" >&2; return 1; }
  say "valid: ${1#"$work"/}"
}

prepare_python() {
  local digest
  digest=$(cksum <"$infra/test/requirements.txt" | tr -d ' ')
  venv=$area/venv-$digest
  mkdir -p "$area"
  (
    flock 9
    [ ! -e "$venv/ready" ] || exit 0
    rm -rf "$area"/venv-*
    "$python" -m venv "$venv"
    "$venv/bin/pip" install -q --disable-pip-version-check --no-deps -r "$infra/test/requirements.txt"
    touch "$venv/ready"
  ) 9>"$area/venv.lock"
}

# Validates the modules and runs their tests; counts the assertions.
test_modules() {
  local module count
  assertions=0
  for module in "$work"/modules/*; do
    validate "$module"
    terraform -chdir="$module" test -no-color >"$area/test.log" 2>&1 || { cat "$area/test.log" >&2; exit 1; }
    count=$(($(cat "$module"/tests/*.hcl | grep -c '^  assert {') + $(sed -n '/expect_failures/,/\]/p' "$module"/tests/*.hcl |
      grep -oE '\b(var\.[a-z0-9_]+|aws_[a-z_]+\.[a-z_]+)' | wc -l)))
    assertions=$((assertions + count))
    say "$(sed -n 's/^Success! //p' "$area/test.log") ${module##*/}: $count assertions"
  done
}

mkdir -p "$area"
began=$SECONDS
find_mirror

terraform fmt -check -diff -recursive "$infra"
say "format is right"
if command -v "$python" >/dev/null; then
  "$python" "$infra/docs.py" --check
  say "tables of variables and outputs are current"
  "$python" "$infra/test/validations.py"
  say "each validation of a variable has a test"
else
  say "no $python: tables and tests of variables were not checked" >&2
fi

if [ "${1:-}" = --quick ]; then
  copy quick
  for example in complete multi-region-buckets; do
    validate "$work/examples/$example"
  done
  test_modules
  say "checked in $((SECONDS - began)) s"
  exit 0
fi

prepare_python

# The life of a cluster waits for AWS most of the time: the other checks run meanwhile.
copy cycle
timeout -k 15 "$longest_seconds" "$venv/bin/python" "$work/test/cycle.py" "$work/examples/multi-az" "$work/life" \
  ${init[@]+"${init[@]}"} >"$area/cycle.log" 2>&1 &
cycle=$!
trap 'kill "$cycle" 2>/dev/null || true' EXIT

copy full
"$venv/bin/python" "$work/test/test_agent.py" -q
say "the agent's tests passed"

test_modules
for example in "$work"/examples/*; do
  validate "$example"
done
say "$assertions assertions hold"
if [ "$assertions" -lt 60 ]; then
  say "too few assertions: at least 60 are expected" >&2
  exit 1
fi

# Checkov looks at sources, not at copies of providers.
"$venv/bin/checkov" -d "$infra" --framework terraform --quiet --compact --skip-download >"$area/checkov.log" 2>&1 ||
  { cat "$area/checkov.log" >&2; exit 1; }
say "checkov: no finding that is not argued in place ($(grep -rhc 'checkov:skip=' "$infra"/modules "$infra"/examples --include='*.tf' |
  awk '{ sum += $1 } END { print sum }') arguments)"

if ! wait "$cycle"; then
  cat "$area/cycle.log" >&2
  exit 1
fi
trap - EXIT
sed 's/^/infra: /' "$area/cycle.log"
say "checked in $((SECONDS - began)) s"
