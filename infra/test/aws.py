#!/usr/bin/env python3
"""An AWS for tests: moto, with what moto lacks, and instances that live.

  aws.py PORT METADATA_PORT DIRECTORY

Added to moto: lifecycle hooks that hold instances, instance refresh, balanced zones, volumes that only one instance may
attach, secrets that only those read and write whom the policies let, and a few fields that moto forgets. Each instance of an Auto Scaling group is played by a process: the agent that
its user data deliver, in a directory below DIRECTORY, with the commands of the directory machine instead of the
system's. The second port has the metadata of all instances, at /INSTANCE/latest/...

Requests of tests, at the second port: GET /test/instances; POST /test/lose-zone/ZONE, /test/kill/INSTANCE,
/test/spot-notice/INSTANCE. The file DIRECTORY/events has one event a line.
"""

import base64
import gzip
import http.server
import inspect
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import traceback

from moto.autoscaling import models as autoscaling
from moto.autoscaling.responses import AutoScalingResponse
from moto.core.exceptions import JsonRESTError
from moto.core.responses import ActionResult, EmptyResult
from moto.ec2 import ec2_backends
from moto.ec2.exceptions import VolumeInUseError
from moto.ec2.models import EC2Backend
from moto.ec2.models.launch_templates import LaunchTemplateVersion
from moto.ec2.models.security_groups import SecurityGroupRule
from moto.ec2.utils import Base64EncodedString, parse_user_data
from moto.autoscaling.exceptions import ValidationError
from moto.iam import iam_backends
from moto.secretsmanager.responses import SecretsManagerResponse
from moto.server import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import make_server

PORT, METADATA_PORT, DIRECTORY = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()
HERE = pathlib.Path(__file__).resolve().parent
ACCOUNT = "123456789012"
TERMINATING = ("Terminating:Wait", "Terminated")

lock = threading.RLock()
lost_zones = set()
spot_notices = set()


def event(text):
    with lock, open(DIRECTORY / "events", "a") as file:
        file.write(text + "\n")


# Fields that moto forgets.

create_rule = SecurityGroupRule.__init__


def rule_with_all_parts(self, *arguments, **named):
    create_rule(self, *arguments, **named)
    bound = inspect.signature(create_rule).bind(self, *arguments, **named).arguments
    self.parts = [bound.get(name) or {} for name in ("ip_range", "source_group", "prefix_list_id")]


SecurityGroupRule.__init__ = rule_with_all_parts
SecurityGroupRule.description = property(
    lambda self: next((part["Description"] for part in self.parts if part.get("Description")), None))

create_version = LaunchTemplateVersion.__init__


def version_as_it_was_sent(self, template, number, data, description):
    if data.get("UserData") and not isinstance(data["UserData"], Base64EncodedString):
        data["UserData"] = parse_user_data(data["UserData"])
    if "TagSpecifications" in data:
        data["TagSpecifications"] = [spec for spec in data["TagSpecifications"] if spec["ResourceType"] != "launch-template"]
    create_version(self, template, number, data, description)


LaunchTemplateVersion.__init__ = version_as_it_was_sent


def remember(response):
    """Fields of a group that moto neither keeps nor shows."""
    group = response.autoscaling_backend.autoscaling_groups[response._get_param("AutoScalingGroupName")]
    for name, attribute in (
        ("DefaultInstanceWarmup", "default_instance_warmup"),
        ("AvailabilityZoneDistribution", "availability_zone_distribution"),
    ):
        value = response._get_param(name)
        if value is not None:
            setattr(group, attribute, value)


def remembering(method):
    def call(self):
        with lock:
            answer = method(self)
            remember(self)
            return answer

    return call


AutoScalingResponse.create_auto_scaling_group = remembering(AutoScalingResponse.create_auto_scaling_group)
AutoScalingResponse.update_auto_scaling_group = remembering(AutoScalingResponse.update_auto_scaling_group)

# Volumes: one instance at a time.


def is_disk(volume):
    """Whether this is a disk of a fleet, not an instance's root volume."""
    return any(tag["key"] == "cloudmw:helper" for tag in volume.get_tags())


attach = EC2Backend.attach_volume


def attach_once(self, volume_id, instance_id, device_path, delete_on_termination=False):
    with lock:
        volume = self.get_volume(volume_id)
        if volume.attachment and volume.attachment.instance.id != instance_id:
            raise VolumeInUseError(volume_id, volume.attachment.instance.id)
        if volume.zone.name != self.get_instance(instance_id).placement.zone:
            raise ValueError(f"{volume_id} is in {volume.zone.name}")
        if is_disk(volume):
            event(f"attach {volume_id} {instance_id}")
        return attach(self, volume_id, instance_id, device_path, delete_on_termination)


detach = EC2Backend.detach_volume


def detach_and_tell(self, volume_id, instance_id, device_path):
    with lock:
        if is_disk(self.get_volume(volume_id)):
            event(f"detach {volume_id} {instance_id}")
        return detach(self, volume_id, instance_id, device_path)


EC2Backend.attach_volume = attach_once
EC2Backend.detach_volume = detach_and_tell

# Groups: instances in all zones, held by hooks.

Group = autoscaling.FakeAutoScalingGroup


def hook(group, transition):
    hooks = group.autoscaling_backend.describe_lifecycle_hooks(group.name)
    return next((found for found in hooks if found.lifecycle_transition == "autoscaling:EC2_INSTANCE_" + transition), None)


def alive(group):
    return [state for state in group.instance_states if state.lifecycle_state not in TERMINATING]


def zones(group):
    subnets = [group.ec2_backend.get_subnet(subnet) for subnet in group.vpc_zone_identifier.split(",")]
    return {subnet.availability_zone: subnet.id for subnet in subnets}


def launch(group):
    counts = {zone: 0 for zone in zones(group)}
    for state in group.instance_states:
        counts[state.availability_zone] += state.lifecycle_state not in TERMINATING
    zone = min(sorted(counts), key=counts.get)
    if zone in lost_zones:
        return False
    all_subnets = group.vpc_zone_identifier
    group.vpc_zone_identifier = zones(group)[zone]
    try:
        group.replace_autoscaling_group_instances(1, group.get_propagated_tags())
    finally:
        group.vpc_zone_identifier = all_subnets
    state = group.instance_states[-1]
    state.template_version = template_version(group)
    state.lifecycle_state = "Pending:Wait" if hook(group, "LAUNCHING") else "InService"
    event(f"launch {state.instance_id} {group.name} {zone}")
    return True


def template_version(group):
    return group.ec2_launch_template.get_version(group.launch_template_version).number


def terminate(group, state):
    if state.lifecycle_state in TERMINATING:
        return
    state.lifecycle_state = "Terminating:Wait"
    event(f"terminating {state.instance_id} {group.name}")
    if not hook(group, "TERMINATING"):
        end(group, state)


def end(group, state):
    state.lifecycle_state = "Terminated"
    group.instance_states = [other for other in group.instance_states if other is not state]
    instance = state.instance
    for volume in group.ec2_backend.volumes.values():
        if volume.attachment and volume.attachment.instance.id == instance.id and is_disk(volume):
            event(f"lost {volume.id} {instance.id}")
            detach(group.ec2_backend, volume.id, instance.id, None)
    group.ec2_backend.terminate_instances([instance.id])
    event(f"terminated {instance.id} {group.name}")


def reconcile(group):
    with lock:
        # Instances that are leaving still count while a group is at its size: disks pass from one to the next.
        while len(group.instance_states) < group.desired_capacity:
            if not launch(group):
                break
        surplus = len(alive(group)) - group.desired_capacity
        for _ in range(surplus):
            counts = {}
            for state in alive(group):
                counts[state.availability_zone] = counts.get(state.availability_zone, 0) + 1
            zone = max(sorted(counts), key=counts.get)
            terminate(group, next(state for state in alive(group) if state.availability_zone == zone))


def set_desired_capacity(self, capacity):
    self.desired_capacity = self.min_size if capacity is None else capacity
    if self.name in self.autoscaling_backend.autoscaling_groups:
        reconcile(self)


Group.set_desired_capacity = set_desired_capacity


def find(response):
    group = response.autoscaling_backend.autoscaling_groups.get(response._get_param("AutoScalingGroupName"))
    instance = response._get_param("InstanceId")
    return group, next((state for state in group.instance_states if state.instance_id == instance), None)


def waiting(response):
    group, state = find(response)
    name = response._get_param("LifecycleHookName")
    for transition, wait in (("LAUNCHING", "Pending:Wait"), ("TERMINATING", "Terminating:Wait")):
        found = hook(group, transition)
        if found and found.name == name and state and state.lifecycle_state == wait:
            return group, state, transition
    raise ValidationError(f"No active Lifecycle Action found with instance ID {response._get_param('InstanceId')}")


def complete_lifecycle_action(self):
    with lock:
        group, state, transition = waiting(self)
        result = self._get_param("LifecycleActionResult")
        event(f"complete {state.instance_id} {transition} {result}")
        if transition == "LAUNCHING" and result == "CONTINUE":
            state.lifecycle_state = "InService"
        else:
            end(group, state)
    return EmptyResult()


def record_lifecycle_action_heartbeat(self):
    with lock:
        _, state, transition = waiting(self)
        event(f"heartbeat {state.instance_id} {transition}")
    return EmptyResult()


def terminate_instance_in_auto_scaling_group(self):
    with lock:
        instance = self._get_param("InstanceId")
        group, state = next((group, state) for group, state in states() if state.instance_id == instance)
        if self._get_bool_param("ShouldDecrementDesiredCapacity"):
            group.desired_capacity -= 1
        terminate(group, state)
    return ActionResult({"Activity": {
        "ActivityId": instance, "AutoScalingGroupName": group.name, "Cause": "a request", "StatusCode": "InProgress",
        "StartTime": "2026-01-01T00:00:00Z"}})


refreshes = {}


def start_instance_refresh(self):
    group = self.autoscaling_backend.autoscaling_groups[self._get_param("AutoScalingGroupName")]
    number = f"refresh-{sum(map(len, refreshes.values())) + 1}"
    preferences = self._get_param("Preferences", {})
    refresh = {"InstanceRefreshId": number, "AutoScalingGroupName": group.name, "Status": "InProgress"}
    refreshes.setdefault(group.name, []).insert(0, refresh)
    event(f"refresh {group.name} {json.dumps(preferences, sort_keys=True, default=str)}")
    threading.Thread(target=refresh_group, args=(group, refresh, preferences), daemon=True).start()
    return ActionResult({"InstanceRefreshId": number})


def refresh_group(group, refresh, preferences):
    """Replaces one instance after the other: the old one goes first where no more than 100% may be healthy."""
    # An instance that does not serve yet is not healthy, so that no other may go.
    while not settled(group, group.desired_capacity):
        time.sleep(0.1)
    old_first = int(preferences.get("MaxHealthyPercentage", 100)) <= 100
    size = group.desired_capacity
    new = template_version(group)
    # Terraform, too, asks for a refresh right after it changed the group.
    for old in [state for state in group.instance_states if state.template_version != new]:
        with lock:
            if old_first:
                terminate(group, old)
            else:
                launch(group)
        while not settled(group, size + (0 if old_first else 1)):
            time.sleep(0.1)
        if not old_first:
            with lock:
                terminate(group, old)
            while not settled(group, size):
                time.sleep(0.1)
    refresh["Status"] = "Successful"
    event(f"refreshed {group.name}")


def settled(group, size):
    with lock:
        return len(group.instance_states) == size and all(state.lifecycle_state == "InService" for state in group.instance_states)


def describe_instance_refreshes(self):
    return ActionResult({"InstanceRefreshes": refreshes.get(self._get_param("AutoScalingGroupName"), [])})


for action in (complete_lifecycle_action, record_lifecycle_action_heartbeat, start_instance_refresh, describe_instance_refreshes,
               terminate_instance_in_auto_scaling_group):
    setattr(AutoScalingResponse, action.__name__, action)


# Secrets: the policies of IAM and of the secret count. Of these no more is understood than what the modules use.

# Access keys of people. Any other key, like that of Terraform, is of a user who may do everything by IAM.
PEOPLE = {"AKIATEST-administrator": f"arn:aws:iam::{ACCOUNT}:role/administrators"}


def words(value):
    return value if isinstance(value, list) else [value]


def caller(response):
    """Returns the ARN of who signed a request, and the statements that IAM has for him."""
    key = re.search(r"Credential=([^/,]+)/", response.headers["Authorization"])[1]
    for group, state in states():
        if key == access_key(state.instance_id):
            profile = group.ec2_launch_template.get_version(state.template_version).data["IamInstanceProfile"]["Arn"]
            role = iam_backends[ACCOUNT]["aws"].get_instance_profile(profile.rpartition("/")[2]).roles[0]
            return role.arn, [one for policy in role.policies.values() for one in words(json.loads(policy)["Statement"])]
    if key in PEOPLE:
        return PEOPLE[key], []
    return f"arn:aws:iam::{ACCOUNT}:user/all", [{"Effect": "Allow", "Action": ["*"], "Resource": ["*"]}]


def access_key(instance):
    return "AKIATEST-" + instance


def applies(statement, action, secret, principal):
    named = words(statement.get("Principal", {"AWS": "*"})["AWS"])
    if not ({"*", action} & set(words(statement["Action"])) and {"*", secret} & set(words(statement["Resource"]))
            and {"*", principal} & set(named)):
        return False
    conditions = statement.get("Condition", {})
    if not conditions:
        return True
    if list(conditions) != ["StringNotEquals"] or list(conditions["StringNotEquals"]) != ["aws:PrincipalArn"]:
        raise ValueError(f"a condition that is not understood: {conditions}")
    return principal not in words(conditions["StringNotEquals"]["aws:PrincipalArn"])


def guarded(action, method):
    def call(self):
        with lock:
            try:
                secret = self.backend.secrets[self._get_param("SecretId")]
                principal, own = caller(self)
                policy = words(json.loads(secret.policy)["Statement"]) if secret.policy else []
                effects = [one["Effect"] for one in own + policy if applies(one, "secretsmanager:" + action, secret.arn, principal)]
            except Exception as e:
                event(f"defect {type(e).__name__}: {e} {traceback.extract_tb(e.__traceback__)[-1]}")
                raise
            if "Deny" in effects or "Allow" not in effects:
                event(f"refused {action} {secret.name} {principal}")
                raise JsonRESTError("AccessDeniedException", f"{principal} is not authorized to perform: {action}")
            return method(self)

    return call


for action, name in (("GetSecretValue", "get_secret_value"), ("PutSecretValue", "put_secret_value"), ("UpdateSecret", "update_secret")):
    setattr(SecretsManagerResponse, name, guarded(action, getattr(SecretsManagerResponse, name)))


# Instances.

def states():
    """All instances of groups, with their group."""
    with lock:
        return [
            (group, state)
            for _, regions in autoscaling.autoscaling_backends.items()
            for _, backend in regions.items()
            for group in list(backend.autoscaling_groups.values())
            for state in group.instance_states
        ]


class Machine:
    """An instance: its directory and the process of its agent."""

    def __init__(self, state):
        self.root = DIRECTORY / "instances" / state.instance_id
        self.root.mkdir(parents=True)
        self.instance = state.instance_id
        group = state.auto_scaling_group
        data = group.ec2_launch_template.get_version(state.template_version).user_data
        text = gzip.decompress(base64.b64decode(str(data))).decode()
        files = {file["path"]: file["content"] for file in json.loads(text.removeprefix("#cloud-config\n"))["write_files"]}
        config = json.loads(files["/etc/cloudmw-fleet.json"])
        (self.root / "agent.py").write_text(files["/usr/local/lib/cloudmw-fleet/agent.py"])
        # All instances are on one machine: each has a port of its own.
        self.port = free_port()
        config["ready_port"] = self.port
        (self.root / "agent.json").write_text(json.dumps(config))
        environment = {
            "PATH": f"{HERE}/machine:{os.environ['PATH']}",
            "CLOUDMW_FLEET_ROOT": str(self.root),
            "CLOUDMW_FLEET_IMDS": f"http://127.0.0.1:{METADATA_PORT}/{state.instance_id}",
            "CLOUDMW_FLEET_PAUSE": "0.3",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{PORT}",
            "READY_PORT": str(self.port),
            "VOLUMES": str(DIRECTORY / "volumes"),
        }
        (self.root / "agent.env").write_text(json.dumps(environment))
        with open(self.root / "agent.log", "w") as log:
            self.agent = subprocess.Popen(
                ["/usr/bin/env", "python3", str(self.root / "agent.py"), str(self.root / "agent.json")],
                env=environment, stdout=log, stderr=log, start_new_session=True)

    def end(self):
        os.killpg(self.agent.pid, signal.SIGKILL)
        self.agent.wait()


def free_port():
    import socket
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


machines = {}


def operate():
    while True:
        time.sleep(0.2)
        try:
            with lock:
                current = states()
                for group in {id(group): group for group, _ in current}.values():
                    reconcile(group)
                for name, backend in list(autoscaling.autoscaling_backends[ACCOUNT].items()):
                    for group in backend.autoscaling_groups.values():
                        reconcile(group)
                known = {state.instance_id: state for _, state in states()}
                for instance, state in known.items():
                    if instance not in machines and not hasattr(state, "dead"):
                        machines[instance] = Machine(state)
                devices(known)
            for instance in [name for name in machines if name not in known]:
                machines.pop(instance).end()
        except Exception as e:
            event(f"defect {type(e).__name__}: {e} {traceback.extract_tb(e.__traceback__)[-1]}")


def devices(known):
    """Devices of attached volumes appear and go."""
    for state in known.values():
        machine = machines.get(state.instance_id)
        if not machine:
            continue
        directory = machine.root / "dev/disk/by-id"
        directory.mkdir(parents=True, exist_ok=True)
        attached = {
            "nvme-Amazon_Elastic_Block_Store_" + volume.id.replace("-", ""): volume.id
            for volume in state.auto_scaling_group.ec2_backend.volumes.values()
            if volume.attachment and volume.attachment.instance.id == state.instance_id and is_disk(volume)
        }
        for name, volume in attached.items():
            content = DIRECTORY / "volumes" / volume
            content.mkdir(parents=True, exist_ok=True)
            if not (directory / name).is_symlink():
                (directory / name).symlink_to(content)
        for link in directory.iterdir():
            if link.name not in attached:
                link.unlink()


class Metadata(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, text=""):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_PUT(self):
        if not self.path.endswith("/latest/api/token") or "X-aws-ec2-metadata-token-ttl-seconds" not in self.headers:
            return self.answer(400)
        self.answer(200, "token-of-" + self.path.split("/")[1])

    def do_GET(self):
        if self.path == "/test/instances":
            return self.answer(200, json.dumps([
                {"id": state.instance_id, "group": group.name, "zone": state.availability_zone,
                 "state": state.lifecycle_state, "type": state.instance_type, "version": state.template_version}
                for group, state in states()]))
        _, instance, _, path = self.path.split("/", 3)
        if self.headers.get("X-aws-ec2-metadata-token") != "token-of-" + instance:
            return self.answer(401)
        state = next((state for _, state in states() if state.instance_id == instance), None)
        if state is None:
            return self.answer(404)
        going = state.lifecycle_state in TERMINATING
        values = {
            "meta-data/instance-id": instance,
            "meta-data/placement/availability-zone": state.availability_zone,
            "meta-data/autoscaling/target-lifecycle-state": "Terminated" if going else "InService",
            "meta-data/iam/security-credentials/": "role",
            "meta-data/iam/security-credentials/role": json.dumps({
                "AccessKeyId": access_key(instance), "SecretAccessKey": "test", "Token": "session", "Expiration": "2999-01-01T00:00:00Z"}),
        }
        if instance in spot_notices:
            values["meta-data/spot/instance-action"] = json.dumps({"action": "terminate", "time": "2999-01-01T00:00:00Z"})
        value = values.get(path)
        self.answer(200 if value else 404, value or "")

    def do_POST(self):
        _, _, what, name = self.path.split("/")
        with lock:
            if what == "lose-zone":
                lost_zones.add(name)
                for group, state in states():
                    if state.availability_zone == name:
                        end(group, state)
            elif what == "regain-zone":
                lost_zones.discard(name)
            elif what == "kill":
                for group, state in states():
                    if state.instance_id == name:
                        end(group, state)
            elif what == "spot-notice":
                spot_notices.add(name)
            else:
                return self.answer(404)
        self.answer(200)


def main():
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    (DIRECTORY / "events").touch()
    threading.Thread(target=operate, daemon=True).start()
    metadata = http.server.ThreadingHTTPServer(("127.0.0.1", METADATA_PORT), Metadata)
    threading.Thread(target=metadata.serve_forever, daemon=True).start()

    def stop(*_):
        for machine in list(machines.values()):
            machine.end()
        os._exit(0)

    signal.signal(signal.SIGTERM, stop)
    server = make_server("127.0.0.1", PORT, DomainDispatcherApplication(create_backend_app), True,
                         request_handler=MotoRequestHandler)
    server.serve_forever()


if __name__ == "__main__":
    main()
