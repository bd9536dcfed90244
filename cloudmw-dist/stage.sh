#!/bin/sh
# Completes the directory from which the packages are made: the launcher, what the commands print of themselves, units
# and configuration. Called by the build, after the jars are there.
set -eu
stage=$1
version=$2
here=$(CDPATH='' cd -- "$(dirname "$0")" && pwd -P)
root=${here%/*}

cp "$root/cloudmw" "$root/LICENSE" "$here/Containerfile" "$here/src/unit-steps" "$stage/"
# The documents, without the links that leave them: those files are not in the packages.
rm -rf "$stage/docs"
cp -R "$root/docs" "$stage/"
find "$stage/docs" -name '*.md' | while read -r page; do
  sed -e 's#\[\([^][]*\)\](\(\.\./\)\{1,\}README[^)]*)#\1#g' \
    -e 's#\[\([^][]*\)\](\(\.\./\)\{1,\}infra[^)]*)#\1#g' "$page" >"$page.new"
  mv "$page.new" "$page"
done
for directory in etc systemd deb; do
  rm -rf "${stage:?}/$directory"
  cp -R "$here/src/$directory" "$stage/"
done
chmod 755 "$stage/cloudmw" "$stage/unit-steps"

# A snapshot comes before its release, so it has "~" in place of "-".
sed "s/@VERSION@/$(echo "$version" | tr - '~')/" "$here/src/deb/control" >"$stage/deb/control"

# Without archive and copy, which would be files of the stage.
export CLOUDMW_NO_CDS=1 CLOUDMW_NO_COPY=1
rm -rf "$stage/man1" "$stage/man1.gz" "$stage/completions"
mkdir -p "$stage/man1" "$stage/man1.gz" "$stage/completions"
"$stage/cloudmw" man --directory "$stage/man1" >/dev/null
for page in "$stage"/man1/*.1; do
  gzip -9 -n -c "$page" >"$stage/man1.gz/${page##*/}.gz"
done
"$stage/cloudmw" completion bash >"$stage/completions/cloudmw.bash"
"$stage/cloudmw" completion fish >"$stage/completions/cloudmw.fish"
# zsh runs the script for bash. Its function directories want a function: the first completion defines the real one. zsh
# reads such a file as a whole, so that an alias of the script's, for a command that zsh lacks, would come too late.
{
  echo '#compdef cloudmw'
  echo '(( $+functions[compopt] )) || compopt() { :; }'
  "$stage/cloudmw" completion zsh
  echo '_bash_complete -F _complete_cloudmw'
} >"$stage/completions/_cloudmw"

{
  echo 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'
  echo 'Upstream-Name: CloudMW'
  echo
  echo 'Files: *'
  echo 'Copyright: the authors of CloudMW'
  echo 'License: Apache-2.0'
  echo ' On Debian systems the text is in /usr/share/common-licenses/Apache-2.0. The jars have the libraries of'
  echo ' THIRD-PARTY.txt, whose licences and notices are in the directory licenses.'
} >"$stage/copyright"
