#!/usr/bin/env python3
"""Checks that the tests of each module break each validation of its variables: a variable with two validations is in the
expect_failures of two runs at least, for one run does not tell which of the two refused the value."""

import pathlib
import re
import sys

INFRA = pathlib.Path(__file__).resolve().parent.parent


def untested(module):
    tests = "".join(path.read_text() for path in sorted(module.glob("tests/*.hcl")))
    runs = [set(re.findall(r"var\.(\w+)", names)) for names in re.findall(r"expect_failures\s*=\s*\[(.*?)\]", tests, re.S)]
    for name, body in re.findall(r'^variable "(\w+)" \{\n(.*?)^\}', (module / "variables.tf").read_text(), re.S | re.M):
        validations = len(re.findall(r"^  validation \{", body, re.M))
        tested = sum(name in run for run in runs)
        if tested < validations:
            yield f"{module.relative_to(INFRA)}: {name} has {validations} validations, and {tested} runs that break them"


def main():
    found = [line for module in sorted(INFRA.glob("modules/*")) for line in untested(module)]
    for line in found:
        print(line, file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
