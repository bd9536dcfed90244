#!/usr/bin/env python3
"""Writes the tables of variables and outputs into the README.md of each module.

  docs.py           writes them
  docs.py --check   ends with 1 where one is not current

Reads the sources as "terraform fmt" leaves them. Text of a README before the line "<!-- tables -->" stays.
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
MARK = "<!-- tables: made by infra/docs.py -->"
BLOCK = re.compile(r'^(variable|output) "([a-z0-9_]+)" \{\n(.*?)^\}$', re.M | re.S)


def argument(body, name):
    """Returns the value of an argument of a block, over several lines where brackets are open; None without one."""
    match = re.search(rf"^  {name} += ?(.*)$", body, re.M)
    if match is None:
        return None
    value, rest = match.group(1), body[match.end():].splitlines()[1:]
    while rest and len(re.findall(r"[(\[{]", value)) > len(re.findall(r"[)\]}]", value)):
        value += "\n" + rest.pop(0)
    return value


def on_one_line(value):
    value = re.sub(r"\n\s*(?=[)\]}])", " ", value)
    value = re.sub(r"(?<=[(\[{])\n\s*", " ", value)
    value = re.sub(r"\s*\n\s*", ", ", value)
    return re.sub(r"  +", " ", value).replace("({ ", "({ ").replace("|", "\\|")


def described(body):
    return argument(body, "description").strip('"').replace('\\"', '"').replace("|", "\\|")


def tables(module):
    blocks = {kind: [] for kind in ("variable", "output")}
    for name in ("variables.tf", "outputs.tf"):
        for kind, block, body in BLOCK.findall((module / name).read_text()):
            blocks[kind].append((block, body))
    lines = ["## Variables", "| name | type | default | meaning |", "|---|---|---|---|"]
    for name, body in sorted(blocks["variable"], key=lambda block: (argument(block[1], "default") is not None, block[0])):
        default = argument(body, "default")
        shown = "(required)" if default is None else f"`{on_one_line(default)}`"
        lines.append(f"| `{name}` | `{on_one_line(argument(body, 'type'))}` | {shown} | {described(body)} |")
    lines += ["", "## Outputs", "| name | meaning |", "|---|---|"]
    lines += [f"| `{name}` | {described(body)} |" for name, body in sorted(blocks["output"])]
    return "\n".join(lines) + "\n"


def main():
    old = []
    for module in sorted((HERE / "modules").iterdir()):
        readme = module / "README.md"
        text = readme.read_text()
        before = text.partition(MARK)[0]
        new = f"{before}{MARK}\n\n{tables(module)}"
        if new != text:
            old.append(str(readme.relative_to(HERE)))
            if "--check" not in sys.argv:
                readme.write_text(new)
    if old and "--check" in sys.argv:
        sys.exit(f"not current: {', '.join(old)}; run infra/docs.py")


if __name__ == "__main__":
    main()
