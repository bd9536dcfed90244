#!/usr/bin/env python3
"""Fleet agent of an instance: brings the instance into the cluster and takes it out again.

The agent follows the state that the Auto Scaling group wants (instance metadata, target-lifecycle-state):

  InService            installs the package, fetches the cluster's secret (a coordinator also its authority and the
                       administrator's token), attaches a free disk of its group and zone, starts the process, waits for
                       /readyz, completes the launch hook; a coordinator takes another authority once it is published
  Warmed:...           installs the package and completes the launch hook, so that the instance waits in the warm pool
  Terminated           stops the process (its unit drains, where it is told to), gives the disk back, completes the
                       termination hook; a spot notice counts as this state

On a coordinator, "agent.py CONFIG publish-authority" publishes the authority in this machine's file.

Each step looks first whether it was done, so that the agent may be killed and started at any time. What fails is tried
again; the hook's timeout ends what never succeeds. Needs nothing but Python: it runs before the package is there. A
coordinator also needs openssl, on which the package's Java runtime depends.
"""

import base64
import datetime
import hashlib
import hmac
import http.client
import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
import xml.etree.ElementTree

IMDS = os.environ.get("CLOUDMW_FLEET_IMDS", "http://169.254.169.254")
# Tests put a directory and an endpoint here.
ROOT = os.environ.get("CLOUDMW_FLEET_ROOT", "")
ENDPOINT = os.environ.get("AWS_ENDPOINT_URL")
PAUSE = float(os.environ.get("CLOUDMW_FLEET_PAUSE", "2"))
TIMEOUT = 10
HEARTBEAT_SECONDS = 60
# A hook becomes active some moments after the instance starts; until then its completion is refused.
HOOK_TRIES = 60
# How often a coordinator looks for another authority. A replacement waits for days between its steps.
AUTHORITY_SECONDS = 30 * PAUSE
DEVICE = "/dev/sdf"

DATA = ROOT + "/var/lib/cloudmw"
SERVED = ROOT + "/run/cloudmw-fleet/served"
# The unit's note that its stop drained the disk, so that its next start undrains it. It goes with the disk.
DRAINED = DATA + "/helper/drained"
# The digest of the authority that was last fetched or published. The file may have another one, which is not published yet.
FETCHED = ROOT + "/run/cloudmw-fleet/authority"


class AwsError(Exception):
    def __init__(self, service, action, status, body):
        super().__init__(f"{service} {action}: {status} {body[:300]}")
        self.status = status
        self.body = body


class Unrecoverable(Exception):
    """The instance can never serve: the launch hook is abandoned."""


def log(message):
    print(message, file=sys.stderr, flush=True)


def run(*command, check=True, given=None):
    done = subprocess.run(command, input=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: {done.stdout.strip()[-500:]}")
    return done


# The authority has the form that a coordinator gives one of its own (docs/adr/0058-processes-have-certificates.md).
AUTHORITY = """
[req]
distinguished_name = name
x509_extensions = authority
prompt = no
[name]
CN = CloudMW authority {number}
[authority]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
"""


def new_authority():
    """Returns the text of an authority file: a new key and its certificate."""
    with tempfile.TemporaryDirectory() as directory:
        form, key, certificate = (f"{directory}/{name}" for name in ("form", "key", "certificate"))
        with open(form, "w") as file:
            file.write(AUTHORITY.format(number=secrets.token_hex(8)))
        run("openssl", "req", "-x509", "-config", form, "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-sha256", "-days", "3650", "-keyout", key, "-out", certificate)
        texts = []
        for name in (key, certificate):
            with open(name) as file:
                texts.append(file.read())
        return "".join(texts)


def fingerprint(authority):
    """Returns the SHA-256 of the public key in an authority file's first certificate, by which tokens name it."""
    certificate = authority[authority.index("-----BEGIN CERTIFICATE-----"):]
    shown = run("openssl", "x509", "-noout", "-pubkey", given=certificate).stdout
    return hashlib.sha256(base64.b64decode("".join(shown.strip().splitlines()[1:-1]))).hexdigest()


def digest(text):
    return hashlib.sha256(text.strip().encode()).hexdigest()


def new_admin_token(authority):
    """Returns a new token of the administrator for coordinators with this fingerprint."""
    return f"cloudmw1:admin:{secrets.token_urlsafe(32)}:{authority}"


class Metadata:
    """Instance metadata, version 2 only."""

    def __init__(self):
        self.token = None

    def get(self, path):
        """Returns the text, or None where there is none."""
        for _ in range(2):
            if self.token is None:
                self.token = self._send("PUT", "/latest/api/token", {"X-aws-ec2-metadata-token-ttl-seconds": "21600"})
            try:
                return self._send("GET", "/latest/" + path, {"X-aws-ec2-metadata-token": self.token})
            except urllib.error.HTTPError as e:
                if e.code == 404:
                    return None
                if e.code != 401:
                    raise
                self.token = None
        raise RuntimeError("instance metadata refuses its own token")

    @staticmethod
    def _send(method, path, headers):
        request = urllib.request.Request(IMDS + path, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return answer.read().decode()


class Aws:
    """Requests to AWS, signed with the keys of the instance role (Signature Version 4)."""

    def __init__(self, metadata, region):
        self.metadata = metadata
        self.region = region
        self.keys = None

    def query(self, service, version, action, **parameters):
        body = urllib.parse.urlencode({"Action": action, "Version": version, **parameters})
        headers = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
        return self._send(service, action, "POST", f"{service}.{self.region}.amazonaws.com", "/", headers, body.encode())

    def secrets(self, action, **parameters):
        headers = {"Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": "secretsmanager." + action}
        host = f"secretsmanager.{self.region}.amazonaws.com"
        return json.loads(self._send("secretsmanager", action, "POST", host, "/", headers, json.dumps(parameters).encode()))

    def object(self, bucket, key):
        path = "/" + bucket + "/" + urllib.parse.quote(key, safe="/-_.~")
        return self._send("s3", "GetObject", "GET", f"s3.{self.region}.amazonaws.com", path, {}, b"")

    def _credentials(self):
        if self.keys is None or self.keys["until"] < time.time() + 300:
            role = self.metadata.get("meta-data/iam/security-credentials/")
            if not role:
                raise RuntimeError("the instance has no role")
            keys = json.loads(self.metadata.get("meta-data/iam/security-credentials/" + role.split()[0]))
            until = datetime.datetime.strptime(keys["Expiration"], "%Y-%m-%dT%H:%M:%SZ")
            keys["until"] = until.replace(tzinfo=datetime.timezone.utc).timestamp()
            self.keys = keys
        return self.keys

    def _send(self, service, action, method, host, path, headers, body):
        keys = self._credentials()
        url = "https://" + host
        if ENDPOINT:
            url = ENDPOINT
            host = urllib.parse.urlsplit(url).netloc
        now = datetime.datetime.now(datetime.timezone.utc)
        stamp = now.strftime("%Y%m%dT%H%M%SZ")
        digest = hashlib.sha256(body).hexdigest()
        signed = {name.lower(): value for name, value in headers.items()}
        signed |= {"host": host, "x-amz-date": stamp, "x-amz-content-sha256": digest, "x-amz-security-token": keys["Token"]}
        names = ";".join(sorted(signed))
        canonical = [method, path, ""] + [f"{name}:{signed[name]}" for name in sorted(signed)] + ["", names, digest]
        scope = f"{now:%Y%m%d}/{self.region}/{service}/aws4_request"
        text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256("\n".join(canonical).encode()).hexdigest()])
        key = ("AWS4" + keys["SecretAccessKey"]).encode()
        for part in scope.split("/"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
        signed["authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={keys['AccessKeyId']}/{scope}, SignedHeaders={names}, Signature={signature}"
        )
        request = urllib.request.Request(url + path, method=method, headers=signed, data=body if method == "POST" else None)
        try:
            with urllib.request.urlopen(request, timeout=6 * TIMEOUT) as answer:
                content = answer.read()
                return content if service == "s3" else content.decode()
        except urllib.error.HTTPError as e:
            raise AwsError(service, action, e.code, e.read().decode(errors="replace")) from e


class Disks:
    """Disks of the group: EBS volumes that outlive instances. Attaching one claims it, for AWS lets one instance win."""

    VERSION = "2016-11-15"

    def __init__(self, aws, group, instance, zone):
        self.aws = aws
        self.group = group
        self.instance = instance
        self.zone = zone

    def list(self):
        """Returns (name of the helper, volume, instance that has it or None), by name."""
        answer = self.aws.query("ec2", self.VERSION, "DescribeVolumes", **{
            "Filter.1.Name": "tag:cloudmw:group", "Filter.1.Value.1": self.group,
            "Filter.2.Name": "availability-zone", "Filter.2.Value.1": self.zone,
            "Filter.3.Name": "tag-key", "Filter.3.Value.1": "cloudmw:helper",
        })
        tree = xml.etree.ElementTree.fromstring(answer)
        for element in tree.iter():
            element.tag = element.tag.rpartition("}")[2]
        found = []
        for volume in tree.findall("./volumeSet/item"):
            tags = {tag.findtext("key"): tag.findtext("value") for tag in volume.findall("./tagSet/item")}
            holder = volume.findtext("./attachmentSet/item/instanceId")
            found.append((tags["cloudmw:helper"], volume.findtext("volumeId"), holder))
        return sorted(found)

    def held(self):
        return next(((name, volume) for name, volume, holder in self.list() if holder == self.instance), None)

    def claim(self):
        """Returns the name of the helper and its volume, attached to this instance."""
        disks = self.list()
        for name, volume, holder in disks:
            if holder == self.instance:
                return name, volume
        for name, volume, holder in disks:
            if holder:
                continue
            try:
                self.aws.query("ec2", self.VERSION, "AttachVolume",
                               VolumeId=volume, InstanceId=self.instance, Device=DEVICE)
                log(f"disk {name} ({volume}) is attached")
                return name, volume
            except AwsError as e:
                if "VolumeInUse" not in e.body and "IncorrectState" not in e.body:
                    raise
        raise RuntimeError(f"no disk of {self.group} is free in {self.zone}: {len(disks)} have a helper")

    def release(self):
        held = self.held()
        if held:
            self.aws.query("ec2", self.VERSION, "DetachVolume", VolumeId=held[1], InstanceId=self.instance)
            log(f"disk {held[0]} ({held[1]}) is given back")


class Agent:
    def __init__(self, config):
        self.config = config
        self.metadata = Metadata()
        self.unit = f"cloudmw-{config['process']}.service"
        self.instance = self.metadata.get("meta-data/instance-id")
        self.zone = self.metadata.get("meta-data/placement/availability-zone")
        self.aws = Aws(self.metadata, config["region"])
        self.disks = Disks(self.aws, config["group"], self.instance, self.zone)
        self.completed = set()
        self.tries = {}
        self.started = os.path.exists(SERVED)
        self.left = False
        self.authority_due = time.monotonic() + AUTHORITY_SECONDS

    def follow(self):
        said = None
        while True:
            try:
                try:
                    self.step()
                    said = None
                except Unrecoverable as e:
                    if str(e) != said:
                        log(f"this instance cannot serve: {e}")
                    said = str(e)
                    self.complete("launch", "ABANDON")
            except Exception as e:  # the next round tries again, whatever it was
                if str(e) != said:
                    log(f"not done yet: {e}")
                said = str(e)
            time.sleep(PAUSE)

    def step(self):
        wanted = self.metadata.get("meta-data/autoscaling/target-lifecycle-state") or "InService"
        notice = self.metadata.get("meta-data/spot/instance-action")
        if notice and not self.left:
            log(f"spot notice: {notice}")
        if wanted in ("Terminated", "Warmed:Terminated"):
            self.leave()
            self.complete("termination")
        elif notice:
            self.leave()
        elif wanted.startswith("Warmed:"):
            self.install()
            self.complete("launch")
        elif wanted == "InService" and not self.left:
            if not self.started:
                self.serve()
            if self.ready():
                self.complete("launch")
            if self.config["process"] == "coordinator" and time.monotonic() >= self.authority_due:
                self.authority_due = time.monotonic() + AUTHORITY_SECONDS
                self.follow_authority()

    def serve(self):
        self.install()
        self.fetch_secret()
        if self.config["process"] == "coordinator":
            self.fetch_identity()
        self.fetch_operator_token()
        name, volume = self.disks.claim() if self.config["has_disk"] else (f"{self.config['group']}-{self.instance}", None)
        if volume:
            self.mount(volume)
        self.configure(name)
        run("systemctl", "daemon-reload")
        run("systemctl", "start", "--no-block", self.unit)
        os.makedirs(os.path.dirname(SERVED), exist_ok=True)
        with open(SERVED, "w") as marker:
            marker.write(name)
        self.started = True
        log(f"{self.unit} is started as {name}")

    def leave(self):
        if self.left:
            return
        try:
            self.fetch_operator_token()
        except (AwsError, OSError) as e:
            log(f"the operator's token is the one of the start: {e}")
        log(f"{self.unit} is being stopped")
        stopping = threading.Thread(target=run, args=("systemctl", "stop", self.unit), kwargs={"check": False})
        stopping.start()
        while stopping.is_alive():
            stopping.join(HEARTBEAT_SECONDS)
            if stopping.is_alive():
                try:
                    self.hook("RecordLifecycleActionHeartbeat", "termination")
                except (AwsError, OSError) as e:
                    log(f"no heartbeat: {e}")
        if self.config["has_disk"]:
            directory = DATA + "/helper/disk"
            if run("mountpoint", "-q", directory, check=False).returncode == 0:
                if os.path.exists(DRAINED):
                    open(directory + "/drained", "w").close()
                run("umount", directory)
            self.disks.release()
        self.left = True

    def ready(self):
        if "launch" in self.completed:
            return True
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.config["ready_port"], timeout=TIMEOUT)
            connection.request("GET", "/readyz")
            answer = connection.getresponse()
            if answer.status == 200:
                return True
            raise RuntimeError(f"{self.unit} is not ready: {answer.read().decode(errors='replace')}")
        except OSError as e:
            raise RuntimeError(f"{self.unit} does not answer yet: {e}") from e

    # Steps before the start, each of which does nothing where it was done.

    def install(self):
        status = run("dpkg-query", "-W", "-f", "${Status}", "cloudmw", check=False).stdout
        if status == "install ok installed":
            return
        url = self.config["package_url"]
        if url is None:
            raise Unrecoverable("the image has no package cloudmw, and no package_url is set")
        log(f"installing {url}")
        where = urllib.parse.urlsplit(url)
        if where.scheme == "s3":
            content = self.aws.object(where.netloc, where.path.lstrip("/"))
        else:
            with urllib.request.urlopen(url, timeout=6 * TIMEOUT) as answer:
                content = answer.read()
        digest = hashlib.sha256(content).hexdigest()
        if digest != self.config["package_sha256"]:
            raise Unrecoverable(f"{url} has SHA-256 {digest} (expected: {self.config['package_sha256']})")
        os.makedirs(ROOT + "/var/cache/cloudmw-fleet", exist_ok=True)
        package = ROOT + "/var/cache/cloudmw-fleet/cloudmw.deb"
        with open(package, "wb") as file:
            file.write(content)
        os.environ["DEBIAN_FRONTEND"] = "noninteractive"
        run("apt-get", "update", "-q")
        run("apt-get", "install", "-y", "-q", "--no-install-recommends", "-o", "Dpkg::Options::=--force-confold", package)

    def fetch_secret(self):
        secret = self.value("secret", "the cluster's secret", lambda: secrets.token_hex(32))
        self.write(DATA + "/cluster.secret", secret + "\n", 0o600, "cloudmw")

    def fetch_identity(self):
        """Fetches what coordinators share besides the secret. Helpers have neither, and may read neither."""
        authority = self.value("authority", "the authority", new_authority)
        token = self.fetch_admin_token(authority)
        self.write(DATA + "/authority.pem", authority + "\n", 0o600, "cloudmw")
        self.write(FETCHED, digest(authority))
        self.write(DATA + "/admin.token", token + "\n", 0o600, "cloudmw")

    def fetch_admin_token(self, authority):
        """Returns the administrator's token. After the authority was replaced, the same token names the new one."""
        named = fingerprint(authority)
        token = self.value("admin_token", "the administrator's token", lambda: new_admin_token(named))
        if not token.endswith(named):
            token = token.rpartition(":")[0] + ":" + named
            self.put(self.config["admin_token"], "the administrator's token for this authority", token, digest(token))
        return token

    def follow_authority(self):
        """Fetches the authority again once another one is published. The coordinator reads its file again by itself."""
        published = self.read(self.config["authority"])
        if published is not None and digest(published) != self.fetched():
            self.fetch_identity()
            log("another authority was published: authority.pem has it")

    @staticmethod
    def fetched():
        if not os.path.exists(FETCHED):
            return None
        with open(FETCHED) as file:
            return file.read()

    def publish_authority(self):
        """Publishes the authority in this coordinator's file, for the other coordinators and for later ones."""
        if self.config["process"] != "coordinator":
            raise RuntimeError("this machine has no coordinator: only coordinators have the authority")
        with open(DATA + "/authority.pem") as file:
            authority = file.read().strip()
        published = self.read(self.config["authority"])
        if published is not None and digest(published) not in (self.fetched(), digest(authority)):
            raise RuntimeError("another coordinator has published an authority that this one does not have yet: its file"
                               f" is replaced within {AUTHORITY_SECONDS:.0f} s (expected: the steps of a replacement on one"
                               " coordinator)")
        # A random version: also an authority that was published before becomes the present one again.
        self.put(self.config["authority"], "the published authority", authority, uuid.uuid4().hex)
        if self.read(self.config["authority"]) != authority:
            raise RuntimeError("another coordinator published one at the same time (expected: the steps of a replacement on"
                               " one coordinator)")
        self.write(FETCHED, digest(authority))
        self.fetch_admin_token(authority)

    def fetch_operator_token(self):
        """Fetches the token by which the unit drains its helper. A helper serves without it, too."""
        if self.config["operator_token"] is None:
            return
        token = self.read(self.config["operator_token"])
        if token is None:
            log("the operator's token has no value yet: a stop does not drain")
        else:
            self.write(DATA + "/operator.token", token + "\n", 0o600, "cloudmw")

    def value(self, key, what, make):
        """Returns the value of a secret; a coordinator makes one where there is none."""
        arn = self.config[key]
        found = self.read(arn)
        if found is None:
            if self.config["process"] != "coordinator":
                raise RuntimeError(f"{what} has no value yet: a coordinator makes it")
            self.put(arn, what, make())
            found = self.read(arn)
        if found is None:
            raise RuntimeError(f"{what} was made, and is not there yet")
        return found

    def read(self, arn):
        try:
            return self.aws.secrets("GetSecretValue", SecretId=arn)["SecretString"].strip()
        except AwsError as e:
            if "ResourceNotFoundException" not in e.body:
                raise
            return None

    def put(self, arn, what, value, version=""):
        # The first version has the same token at every coordinator: of several that make a value at once, one wins and
        # the others are told that it exists. So no value passes through Terraform or its state.
        token = str(uuid.uuid5(uuid.NAMESPACE_URL, arn + version))
        try:
            self.aws.secrets("PutSecretValue", SecretId=arn, ClientRequestToken=token, SecretString=value)
            log(f"{what} was made")
        except AwsError as e:
            if "ResourceExistsException" not in e.body:
                raise

    def mount(self, volume):
        directory = DATA + "/helper/disk"
        if run("mountpoint", "-q", directory, check=False).returncode == 0:
            return
        device = f"{ROOT}/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_{volume.replace('-', '')}"
        if not os.path.exists(device):
            raise RuntimeError(f"{device} is not there yet")
        found = run("blkid", "-p", device, check=False)
        if found.returncode == 2:
            log(f"{volume} is new: making a file system")
            run("mkfs.ext4", "-q", "-m", "0", device)
        elif found.returncode != 0:
            raise RuntimeError(f"blkid {device}: exit {found.returncode}: {found.stdout.strip()}")
        os.makedirs(directory, exist_ok=True)
        run("mount", "-o", "noatime,nodev,nosuid,noexec", device, directory)
        # A directory below, so that an unmounted disk is no empty disk: the helper refuses that.
        chunks = directory + "/chunks"
        os.makedirs(chunks, exist_ok=True)
        run("chown", "cloudmw:cloudmw", directory, chunks)
        if os.path.exists(directory + "/drained"):
            self.write(DRAINED, "", owner="cloudmw")
            os.remove(directory + "/drained")

    def configure(self, name):
        process = self.config["process"]

        def filled(text):
            return text.replace("{id}", name).replace("{zone}", self.zone).replace("{instance}", self.instance)

        settings = {filled(key): filled(value) for key, value in self.config["settings"].items()}
        lines = [f"{key}={settings[key]}" for key in sorted(settings)]
        self.write(f"{ROOT}/etc/cloudmw/{process}.properties", "\n".join(["# Written by cloudmw-fleet.service.", *lines, ""]))
        lines = [f'{key}="{value}"' for key, value in sorted(self.config["environment"].items())]
        self.write(f"{ROOT}/etc/cloudmw/{process}.env", "\n".join(["# Written by cloudmw-fleet.service.", *lines, ""]), 0o600)
        # The machine runs nothing else.
        self.write(f"{ROOT}/etc/systemd/system/{self.unit}.d/fleet.conf", "[Service]\nMemoryMax=90%\n")

    @staticmethod
    def write(path, content, mode=0o644, owner=None):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w") as file:
            file.write(content)
        if owner:
            run("chown", f"{owner}:{owner}", path + ".new")
        os.replace(path + ".new", path)

    # Hooks.

    def complete(self, which, result="CONTINUE"):
        if which in self.completed:
            return
        try:
            self.hook("CompleteLifecycleAction", which, LifecycleActionResult=result)
            log(f"{which} hook: {result}")
        except AwsError as e:
            # Refused: no such action is pending. At the start it may not be pending yet.
            self.tries[which] = self.tries.get(which, 0) + 1
            if e.status != 400 or self.tries[which] < HOOK_TRIES:
                raise
            log(f"no {which} hook waits for this instance")
        self.completed.add(which)

    def hook(self, action, which, **parameters):
        self.aws.query("autoscaling", "2011-01-01", action, AutoScalingGroupName=self.config["group"],
                       LifecycleHookName=self.config[which + "_hook"], InstanceId=self.instance, **parameters)


def main():
    with open(sys.argv[1]) as file:
        config = json.load(file)
    if sys.argv[2:] == ["publish-authority"]:
        try:
            Agent(config).publish_authority()
        except (AwsError, OSError, RuntimeError) as e:
            sys.exit(f"the authority is not published: {e}")
    elif sys.argv[2:]:
        sys.exit(f"agent.py: {' '.join(sys.argv[2:])} (expected: nothing, or publish-authority)")
    else:
        Agent(config).follow()


if __name__ == "__main__":
    main()
