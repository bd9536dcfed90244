#!/usr/bin/env python3
"""The life of a cluster on an AWS for tests (aws.py): apply, who reads which secret, empty plan, another instance type and more helpers, disks
that pass on, a spot notice, a killed instance, a lost zone, fewer helpers, destroy.

  cycle.py EXAMPLE_DIRECTORY WORK_DIRECTORY [terraform init arguments...]
"""

import base64
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

import boto3

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
    """Makes a plan, and returns its lines that begin with a resource."""
    shown = terraform("plan", "-input=false", "-no-color", "-out=cycle.plan", *variables)
    return [line.strip("# ") for line in shown.splitlines() if line.startswith("  # module.")]


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


def all_serve(size=6):
    found = helpers()
    return len(found) == size and all(instance["state"] == "InService" for instance in found)


def events():
    return (WORK / "events").read_text().splitlines(keepends=True)


def properties(instance):
    path = WORK / "instances" / instance["id"] / "etc/cloudmw/helper.properties"
    return dict(line.split("=", 1) for line in path.read_text().splitlines() if "=" in line)


def names():
    return {properties(instance)["helper.id"]: instance for instance in helpers()}


def coordinators():
    return [instance for instance in instances() if instance["group"] == "demo-coordinator"]


def data(instance, name):
    return WORK / "instances" / instance["id"] / "var/lib/cloudmw" / name


def secrets_of(key):
    return boto3.client("secretsmanager", region_name="us-east-1", endpoint_url=ENVIRONMENT["AWS_ENDPOINT_URL"],
                        aws_access_key_id=key, aws_secret_access_key="test")


def may(key, action, secret, **parameters):
    """Returns whether the owner of an access key may do something with a secret."""
    client = secrets_of(key)
    try:
        getattr(client, action)(SecretId=secret, **parameters)
        return True
    except client.exceptions.ClientError as e:
        if e.response["Error"]["Code"] != "AccessDeniedException":
            raise
        return False


def replace_authority():
    """One coordinator prepares another authority and publishes it. Returns the files that all coordinators have then."""
    first = coordinators()[0]
    root = WORK / "instances" / first["id"]
    other = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                            "/CN=next", "-keyout", "-", "-days", "3650"], stdout=subprocess.PIPE, check=True, text=True).stdout
    prepared = data(first, "authority.pem").read_text() + other
    data(first, "authority.pem").write_text(prepared)
    time.sleep(10)
    check([instance for instance in coordinators() if data(instance, "authority.pem").read_text() == prepared] == [first],
          "an authority that is not published stays on its coordinator")
    subprocess.run(["python3", str(root / "agent.py"), str(root / "agent.json"), "publish-authority"],
                   env=json.loads((root / "agent.env").read_text()), check=True)
    until(lambda: all(data(instance, "authority.pem").read_text() == prepared for instance in coordinators()),
          "a published authority reaches all coordinators")
    return {name: data(first, name).read_text() for name in ("cluster.secret", "authority.pem", "admin.token")}


def check_secrets():
    """Who has the secret, the authority and the administrator's token, and who may read and replace them."""
    names = ("cluster.secret", "authority.pem", "admin.token")
    values = {name: {data(instance, name).read_text() for instance in coordinators()} for name in names}
    check(all(len(found) == 1 for found in values.values()), "all coordinators have the same secret, authority and token")
    secret, authority, token = (next(iter(values[name])).strip() for name in names)
    check(len(secret) == 64, "a coordinator made the secret")
    check({data(instance, "cluster.secret").read_text().strip() for instance in helpers()} == {secret}, "helpers have the secret")
    check(not any(data(instance, name).exists() for instance in helpers() for name in names[1:]), "helpers have neither authority nor token")
    shown = subprocess.run(["openssl", "x509", "-noout", "-pubkey"], input=authority[authority.index("-----BEGIN CERT"):],
                           stdout=subprocess.PIPE, text=True, check=True).stdout
    key = base64.b64decode("".join(shown.strip().splitlines()[1:-1]))
    check(re.fullmatch("cloudmw1:admin:[A-Za-z0-9_-]{43}:" + hashlib.sha256(key).hexdigest(), token), "the token names the authority")

    state = (EXAMPLE / "terraform.tfstate").read_text()
    private = "".join(authority.split("-----")[2].split())
    check(state.count('"aws_secretsmanager_secret"') == 2, "secrets are made by Terraform")
    check(not any(value in state for value in (secret, private[:40], "PRIVATE KEY", token.split(":")[2])), "no value is in Terraform's state")

    check(not any(line.startswith("refused") for line in events()), "no instance asks for what it may not read")
    people = {"coordinator": "AKIATEST-" + coordinators()[0]["id"], "helper": "AKIATEST-" + helpers()[0]["id"],
              "administrator": "AKIATEST-administrator", "account": "test"}
    secrets = {"cloudmw/demo": secret, "cloudmw/demo/authority": authority, "cloudmw/demo/admin-token": token}
    readers = {name: {who for who, key in people.items() if may(key, "get_secret_value", name)} for name in secrets}
    check(readers["cloudmw/demo"] == {"coordinator", "helper"}, f"coordinators and helpers read the secret: {readers}")
    check(readers["cloudmw/demo/authority"] == {"coordinator"}, f"coordinators alone read the authority: {readers}")
    check(readers["cloudmw/demo/admin-token"] == {"coordinator", "administrator"}, f"administrators read their token: {readers}")
    writers = {name: {who for who, key in people.items() if may(key, "put_secret_value", name, SecretString=value)}
               for name, value in secrets.items()}
    check("helper" not in writers["cloudmw/demo"], f"helpers do not replace the secret: {writers}")
    check(writers["cloudmw/demo/authority"] == {"coordinator"}, f"coordinators alone replace the authority: {writers}")
    check(writers["cloudmw/demo/admin-token"] == {"coordinator", "administrator"}, f"administrators replace their token: {writers}")
    for name in list(secrets)[1:]:
        check(not may("test", "update_secret", name, SecretString="mine"), "nor does somebody else by another call")
    return {name: data(coordinators()[0], name).read_text() for name in names}


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
        "administrator_arns": ["arn:aws:iam::123456789012:role/administrators"],
    }))

    # Apply: waits until all instances completed their launch hooks.
    terraform("apply", "-auto-approve", "-input=false", "-no-color")
    check(all_serve(3), "all helpers serve after apply")
    check(len(instances()) == 6, "three coordinators and three helpers")
    check({instance["zone"] for instance in helpers()} == {"us-east-1a", "us-east-1b", "us-east-1c"}, "a helper in each zone")
    completed = [line for line in events() if re.match(r"complete \S+ LAUNCHING CONTINUE", line)]
    check(len(completed) == 6, "each instance completed its launch hook")
    files = check_secrets()
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

    # Another type, and twice as many: three further helpers get disks of their own. Then every former helper is
    # replaced, one after the other, and the successor finds the disk as it was.
    began = len(events())
    change = ["-var=helper_type=m7g.xlarge", "-var=helpers_per_zone=2"]
    changes = plan(*change)
    check(not any("destroyed" in line or "replaced" in line for line in changes), "no resource is made anew for another type")
    check("module.helpers.module.instance.aws_launch_template.this will be updated in-place" in changes, "the launch template changes")
    check(sum("aws_ebs_volume.disk" in line and "will be created" in line for line in changes) == 3, "there are three further disks")
    terraform("apply", "-input=false", "-no-color", "cycle.plan")
    until(lambda: any(line.startswith("refreshed demo-helpers") for line in events()[began:]), "the instance refresh ends")
    check(all_serve() and {instance["type"] for instance in helpers()} == {"m7g.xlarge"}, "all helpers have the new type")
    second = names()
    check(sorted(second) == sorted([*first, *(name[:-1] + "1" for name in first)]), "successors have the names, new helpers further ones")
    for name, instance in second.items():
        disk = WORK / "instances" / instance["id"] / "var/lib/cloudmw/helper/disk/chunks"
        if name in first:
            check(instance["id"] != first[name]["id"], "the instance is another one")
            check(instance["zone"] == first[name]["zone"], "it is in the zone of the disk")
            check((disk / "copy").read_text() == name, "copies are still on the disk")
        else:
            check(list(disk.iterdir()) == [], "a new helper has an empty disk")
            (disk / "copy").write_text(name)
    missing = 3
    for line in events()[began:]:
        if line.startswith("terminating"):
            missing += 1
            check(missing <= 1, "one helper at a time is away")
        missing -= bool(re.match(r"complete \S+ LAUNCHING", line))
    left = [line for line in events()[began:] if re.match(r"complete \S+ TERMINATING CONTINUE", line)]
    check(len(left) == 3, "each old instance completed its termination hook")
    check(not any(line.startswith("lost") for line in events()), "each old instance gave its disk back itself")
    check_empty_plan(*change)

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
    check(sorted(names()) == sorted(second), "its successor has the name")

    files = replace_authority()
    # A coordinator that comes later has what the others have.
    victim = coordinators()[0]
    order("kill", victim["id"])
    until(lambda: len(coordinators()) == 3 and victim["id"] not in [instance["id"] for instance in coordinators()]
          and all(instance["state"] == "InService" for instance in coordinators()), "another coordinator serves")
    check(all(data(instance, name).read_text() == text for instance in coordinators() for name, text in files.items()),
          "all coordinators still have the same secret, authority and token")

    # A zone is lost: no other zone takes its helpers. It comes back: so do they.
    order("lose-zone", "us-east-1c")
    until(lambda: all_serve(4), "two zones serve")
    check({instance["zone"] for instance in helpers()} == {"us-east-1a", "us-east-1b"}, "no helper is in a zone without its disk")
    order("regain-zone", "us-east-1c")
    until(all_serve, "the zone's helpers are back")
    check(sorted(names()) == sorted(second), "with its name")
    for name, instance in names().items():
        copy = WORK / "instances" / instance["id"] / "var/lib/cloudmw/helper/disk/chunks/copy"
        check(copy.read_text() == name, "copies are still on the disk")
    formats = sum((WORK / "instances" / path.parent.name / "commands").read_text().count("mkfs.ext4 ")
                  for path in WORK.glob("instances/*/commands"))
    check(formats == 6, f"each disk was formatted once, not {formats} times")

    # Fewer helpers: the named ones leave, and nothing replaces them.
    began = len(events())
    scaling = boto3.client("autoscaling", region_name="us-east-1", endpoint_url=ENVIRONMENT["AWS_ENDPOINT_URL"],
                           aws_access_key_id="test", aws_secret_access_key="test")
    for name, instance in names().items():
        if name.endswith("-1"):
            scaling.terminate_instance_in_auto_scaling_group(InstanceId=instance["id"], ShouldDecrementDesiredCapacity=True)
    until(lambda: all_serve(3) and not any(line.startswith("launch") for line in events()[began:]), "three helpers leave")
    check(sorted(names()) == sorted(first), "the named helpers left")
    check(sum(line.startswith("detach") for line in events()[began:]) == 3, "they gave their disks back")

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
