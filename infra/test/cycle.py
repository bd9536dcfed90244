#!/usr/bin/env python3
"""The life of a cluster on an AWS for tests (aws.py): apply, empty plan, another instance type, disks that pass on,
a spot notice, a killed instance, a lost zone, destroy.

  cycle.py EXAMPLE_DIRECTORY WORK_DIRECTORY [terraform init arguments...]
"""

import hashlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request

EXAMPLE, WORK = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
INIT = sys.argv[3:]
PACKAGE = b"a package for tests"
LONGEST_SECONDS = 240

checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        raise AssertionError(what)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


PORT, METADATA_PORT = free_port(), free_port()
ENVIRONMENT = {
    **os.environ,
    "AWS_ENDPOINT_URL": f"http://127.0.0.1:{PORT}",
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "TF_IN_AUTOMATION": "1",
}


def terraform(*arguments, expected=(0,)):
    began = time.monotonic()
    done = subprocess.run(["terraform", f"-chdir={EXAMPLE}", *arguments], env=ENVIRONMENT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LONGEST_SECONDS)
    print(f"cycle: terraform {arguments[0]}: exit {done.returncode}, {time.monotonic() - began:.0f} s", flush=True)
    if done.returncode not in expected:
        raise AssertionError(f"terraform {' '.join(arguments)}: exit {done.returncode}\n{done.stdout[-6000:]}")
    return done.stdout


def check_empty_plan(*variables):
    check(True, "a plan that is not empty ends with 2")
    terraform("plan", "-input=false", "-no-color", "-detailed-exitcode", *variables)


def plan(*variables):
    """Returns what a plan would do, by address."""
    terraform("plan", "-input=false", "-no-color", "-out=cycle.plan", *variables)
    shown = json.loads(terraform("show", "-json", "cycle.plan"))
    return {change["address"]: change["change"] for change in shown["resource_changes"] if change["change"]["actions"] != ["no-op"]
            and change["mode"] == "managed"}


def instances():
    with urllib.request.urlopen(f"http://127.0.0.1:{METADATA_PORT}/test/instances") as answer:
        return json.load(answer)


def helpers():
    return [instance for instance in instances() if instance["group"] == "demo-helpers"]


def order(what, name):
    request = urllib.request.Request(f"http://127.0.0.1:{METADATA_PORT}/test/{what}/{name}", method="POST")
    urllib.request.urlopen(request).close()


def until(condition, what):
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within a minute: {what}\n{instances()}\n{''.join(events()[-20:])}")
        time.sleep(0.3)


def all_serve(size=3):
    found = helpers()
    return len(found) == size and all(instance["state"] == "InService" for instance in found)


def events():
    return (WORK / "events").read_text().splitlines(keepends=True)


def properties(instance):
    path = WORK / "instances" / instance["id"] / "etc/cloudmw/helper.properties"
    return dict(line.split("=", 1) for line in path.read_text().splitlines() if "=" in line)


def names():
    return {properties(instance)["helper.id"]: instance for instance in helpers()}


def put_package():
    for method, path, data in (("PUT", "/packages", None), ("PUT", "/packages/cloudmw.deb", PACKAGE)):
        # moto takes any signature, but wants to see one: it names the region.
        request = urllib.request.Request(ENVIRONMENT["AWS_ENDPOINT_URL"] + path, method=method, data=data, headers={
            "Content-Type": "application/octet-stream",
            "Authorization": "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"})
        urllib.request.urlopen(request).close()


def cycle():
    terraform("init", "-input=false", "-no-color", *INIT)
    until(serves, "the server answers")
    put_package()
    (EXAMPLE / "cycle_override.tf").write_text('provider "aws" {\n  s3_use_path_style = true\n}\n')
    (EXAMPLE / "terraform.tfvars.json").write_text(json.dumps({
        "region": "us-east-1", "bucket_prefix": "cloudmw-cycle", "ami_id": "ami-12c6146b", "helpers_per_zone": 1,
        "package_url": "s3://packages/cloudmw.deb", "package_sha256": hashlib.sha256(PACKAGE).hexdigest(),
        "helper_type": "m7g.large", "disk_size_gib": 100, "can_be_destroyed": True,
    }))

    # Apply: waits until all instances completed their launch hooks.
    terraform("apply", "-auto-approve", "-input=false", "-no-color")
    check(all_serve(), "all helpers serve after apply")
    check(len(instances()) == 6, "three coordinators and three helpers")
    check({instance["zone"] for instance in helpers()} == {"us-east-1a", "us-east-1b", "us-east-1c"}, "a helper in each zone")
    completed = [line for line in events() if re.match(r"complete \S+ LAUNCHING CONTINUE", line)]
    check(len(completed) == 6, "each instance completed its launch hook")
    secrets = {(WORK / "instances" / instance["id"] / "var/lib/cloudmw/cluster.secret").read_text() for instance in instances()}
    check(len(secrets) == 1 and len(next(iter(secrets)).strip()) == 64, "all instances have the one secret, made by a coordinator")
    state = (EXAMPLE / "terraform.tfstate").read_text()
    check("aws_secretsmanager_secret" in state and not any(secret.strip() in state for secret in secrets), "the secret is not in Terraform's state")
    first = names()
    check(sorted(first) == [f"demo-helpers-us-east-1{zone}-0" for zone in "abc"], "helpers have the names of their disks")
    for name, instance in first.items():
        settings = properties(instance)
        check(settings[f"helper.disk.{name}.path"] == "/var/lib/cloudmw/helper/disk/chunks", "the disk is configured")
        check(settings[f"helper.disk.{name}.domain"] == instance["zone"], "its failure domain is the zone")
        check(settings["helper.location"] == f"{instance['zone']}/{name}", "the helper says where it is")
        check(settings["helper.coordinator"].endswith(":7400"), "the helper knows the load balancer")
        disk = WORK / "instances" / instance["id"] / "var/lib/cloudmw/helper/disk/chunks"
        check(disk.is_dir(), "the disk is mounted")
        (disk / "copy").write_text(name)

    # Nothing more to do.
    check_empty_plan()

    # Another type: every helper is replaced, one after the other, and finds its disk as it was.
    began = len(events())
    changes = plan("-var=helper_type=m7g.xlarge")
    check(all("delete" not in change["actions"] for change in changes.values()), "no resource is replaced by another type")
    check(any(address.endswith("aws_launch_template.this") for address in changes), "the launch template changes")
    terraform("apply", "-input=false", "-no-color", "cycle.plan")
    until(lambda: any(line.startswith("refreshed demo-helpers") for line in events()[began:]), "the instance refresh ends")
    check(all_serve() and {instance["type"] for instance in helpers()} == {"m7g.xlarge"}, "all helpers have the new type")
    second = names()
    check(sorted(second) == sorted(first), "successors have the names")
    for name, instance in second.items():
        check(instance["id"] != first[name]["id"], "the instance is another one")
        check(instance["zone"] == first[name]["zone"], "it is in the zone of the disk")
        copy = WORK / "instances" / instance["id"] / "var/lib/cloudmw/helper/disk/chunks/copy"
        check(copy.read_text() == name, "copies are still on the disk")
    gone = 0
    for line in events()[began:]:
        gone += line.startswith("terminating") - bool(re.match(r"complete \S+ LAUNCHING", line))
        check(gone <= 1, "one helper at a time is away")
    left = [line for line in events()[began:] if re.match(r"complete \S+ TERMINATING CONTINUE", line)]
    check(len(left) == 3, "each old instance completed its termination hook")
    check(not any(line.startswith("lost") for line in events()), "each old instance gave its disk back itself")
    check_empty_plan("-var=helper_type=m7g.xlarge")

    # A spot notice: the helper stops and gives the disk back before the machine goes.
    victim = helpers()[0]
    order("spot-notice", victim["id"])
    until(lambda: any(line.startswith("detach") and victim["id"] in line for line in events()), "the disk is given back after a notice")
    check(not (WORK / "instances" / victim["id"] / "process.pid").exists(), "the helper is stopped after a notice")
    order("kill", victim["id"])
    until(all_serve, "a successor serves after a spot notice")

    # A machine that is gone at once: its disk is free when AWS says so.
    victim = helpers()[1]
    order("kill", victim["id"])
    until(lambda: all_serve() and victim["id"] not in [instance["id"] for instance in helpers()], "a successor serves")
    check(any(line.startswith("lost") and victim["id"] in line for line in events()), "the disk was torn off")
    check(sorted(names()) == sorted(first), "its successor has the name")

    # A zone is lost: no other zone takes its helper. It comes back: so does the helper.
    order("lose-zone", "us-east-1c")
    until(lambda: all_serve(2), "two zones serve")
    check({instance["zone"] for instance in helpers()} == {"us-east-1a", "us-east-1b"}, "no helper is in a zone without its disk")
    order("regain-zone", "us-east-1c")
    until(all_serve, "the zone's helper is back")
    check(sorted(names()) == sorted(first), "with its name")
    for name, instance in names().items():
        copy = WORK / "instances" / instance["id"] / "var/lib/cloudmw/helper/disk/chunks/copy"
        check(copy.read_text() == name, "copies are still on the disk")
    formats = sum((WORK / "instances" / path.parent.name / "commands").read_text().count("mkfs.ext4 ")
                  for path in WORK.glob("instances/*/commands"))
    check(formats == 3, f"each disk was formatted once, not {formats} times")

    terraform("destroy", "-auto-approve", "-input=false", "-no-color")
    check(instances() == [], "no instance is left")
    check(json.loads((EXAMPLE / "terraform.tfstate").read_text())["resources"] == [], "no resource is left")
    defects = [line for line in events() if line.startswith("defect")]
    check(not defects, f"the test server had no defects: {defects[:3]}")


def serves():
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{PORT}/moto-api/").close()
        return True
    except OSError:
        return False


def main():
    WORK.mkdir(parents=True)
    with open(WORK / "aws.log", "w") as log:
        server = subprocess.Popen([sys.executable, str(pathlib.Path(__file__).with_name("aws.py")), str(PORT),
                                   str(METADATA_PORT), str(WORK)], stdout=log, stderr=log, start_new_session=True)
    try:
        cycle()
    except BaseException:
        for path in sorted(WORK.glob("instances/*/agent.log")):
            print(f"--- {path.parent.name}\n{path.read_text()[-1500:]}")
        raise
    finally:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
    print(f"cycle: {checks} checks passed")


if __name__ == "__main__":
    main()
