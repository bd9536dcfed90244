"""Tests of the fleet agent (modules/instance/files/agent.py) beyond those of cycle.py: what happens seldom."""

import hashlib
import http.server
import importlib.util
import json
import pathlib
import re
import subprocess
import tempfile
import threading
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "modules/instance/files/agent.py"
PACKAGE = b"package"


def load():
    spec = importlib.util.spec_from_file_location("agent", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class FakeMetadata:
    def __init__(self):
        self.values = {"meta-data/instance-id": "i-1", "meta-data/placement/availability-zone": "eu-central-1a"}

    def get(self, path):
        return self.values.get(path)


class FakeAws:
    """Answers of AWS, by action: values, or exceptions that are raised; a list is one for each call."""

    def __init__(self, agent):
        self.agent = agent
        self.calls = []
        self.answers = {}
        # Values of Secrets Manager, by secret: its present value, and the value of each request token.
        self.values = {}
        self.versions = {}
        self.present = set()

    def _answer(self, action, parameters):
        self.calls.append((action, parameters))
        answer = self.answers.get(action, "")
        if isinstance(answer, list):
            answer = answer.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def query(self, _service, _version, action, **parameters):
        return self._answer(action, parameters)

    def secrets(self, action, **parameters):
        answer = self._answer(action, parameters)
        if action in self.answers:
            return answer
        secret = parameters["SecretId"]
        if action == "GetSecretValue":
            if secret not in self.values:
                raise self.refused("ResourceNotFoundException")
            return {"SecretString": self.values[secret]}
        version = (secret, parameters["ClientRequestToken"])
        if self.versions.setdefault(version, parameters["SecretString"]) != parameters["SecretString"]:
            raise self.refused("ResourceExistsException")
        if version not in self.present:
            # A version that exists already is not made the present one again.
            self.present.add(version)
            self.values[secret] = parameters["SecretString"]
        return {}

    def object(self, bucket, key):
        return self._answer("GetObject", {"bucket": bucket, "key": key})

    def refused(self, body, status=400):
        return self.agent.AwsError("service", "Action", status, body)

    def made(self, action):
        return [parameters for made, parameters in self.calls if made == action]


class AgentTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)
        self.module = load()
        self.module.ROOT = str(self.root)
        self.module.DATA = self.module.ROOT + "/var/lib/cloudmw"
        self.module.SERVED = self.module.ROOT + "/run/cloudmw-fleet/served"
        self.module.DRAINED = self.module.DATA + "/helper/drained"
        self.module.FETCHED = self.module.ROOT + "/run/cloudmw-fleet/authority"
        self.logged = []
        self.module.log = self.logged.append
        self.metadata = FakeMetadata()
        self.module.Metadata = lambda: self.metadata
        self.aws = FakeAws(self.module)
        self.module.Aws = lambda _metadata, _region: self.aws
        self.commands = []
        self.results = {}
        self.run_really = self.module.run
        self.module.run = self.run_command

    def run_command(self, *command, check=True, given=None):
        if command[0] == "openssl":
            return self.run_really(*command, check=check, given=given)
        self.commands.append(command)
        result = self.results.get(command[0], (0, ""))
        if callable(result):
            result = result()
        if check and result[0] != 0:
            raise RuntimeError(f"{command}: {result}")
        return type("Done", (), {"returncode": result[0], "stdout": result[1]})

    def agent(self, **changes):
        config = {
            "process": "helper", "group": "demo-helpers", "region": "eu-central-1", "secret": "arn:secret",
            "authority": "arn:authority", "admin_token": "arn:token", "operator_token": None,
            "package_url": "s3://packages/cloudmw.deb", "package_sha256": hashlib.sha256(PACKAGE).hexdigest(),
            "settings": {"helper.id": "{id}", "helper.disk.{id}.domain": "{zone}"}, "environment": {"A": "b"},
            "ready_port": 1, "has_disk": False, "launch_hook": "serves", "termination_hook": "left", **changes}
        return self.module.Agent(config)

    def wanted(self, state):
        self.metadata.values["meta-data/autoscaling/target-lifecycle-state"] = state

    def test_warm_instance_installs_and_waits(self):
        self.wanted("Warmed:Stopped")
        self.results["dpkg-query"] = (1, "")
        self.aws.answers["GetObject"] = PACKAGE
        self.agent(has_disk=True).step()
        self.assertEqual([call["LifecycleHookName"] for call in self.aws.made("CompleteLifecycleAction")], ["serves"])
        self.assertIn("apt-get", [command[0] for command in self.commands])
        self.assertNotIn("systemctl", [command[0] for command in self.commands])
        self.assertEqual(self.aws.made("AttachVolume"), [])

    def test_package_with_another_checksum_is_never_installed(self):
        self.results["dpkg-query"] = (1, "")
        self.aws.answers["GetObject"] = b"other"
        with self.assertRaisesRegex(self.module.Unrecoverable, "SHA-256"):
            self.agent().step()
        self.assertNotIn("apt-get", [command[0] for command in self.commands])

    def test_image_without_package_and_address_cannot_serve(self):
        self.results["dpkg-query"] = (1, "")
        with self.assertRaises(self.module.Unrecoverable):
            self.agent(package_url=None, package_sha256=None).step()

    def test_helper_waits_for_a_secret_and_does_not_make_one(self):
        self.results["dpkg-query"] = (0, "install ok installed")
        self.aws.answers["GetSecretValue"] = self.aws.refused("ResourceNotFoundException")
        with self.assertRaisesRegex(RuntimeError, "a coordinator makes it"):
            self.agent().step()
        self.assertEqual(self.aws.made("PutSecretValue"), [])

    def test_coordinator_that_loses_the_race_for_the_secret_takes_the_winners(self):
        self.aws.answers["GetSecretValue"] = [self.aws.refused("ResourceNotFoundException"), {"SecretString": "winner"}]
        self.aws.answers["PutSecretValue"] = self.aws.refused("ResourceExistsException")
        self.agent(process="coordinator").fetch_secret()
        self.assertEqual((self.root / "var/lib/cloudmw/cluster.secret").read_text(), "winner\n")
        self.assertEqual((self.root / "var/lib/cloudmw/cluster.secret").stat().st_mode & 0o777, 0o600)

    def test_all_coordinators_make_the_secret_with_one_token(self):
        for _ in range(2):
            self.aws.answers["GetSecretValue"] = [self.aws.refused("ResourceNotFoundException"), {"SecretString": "s"}]
            self.agent(process="coordinator").fetch_secret()
        tokens = {call["ClientRequestToken"] for call in self.aws.made("PutSecretValue")}
        values = {call["SecretString"] for call in self.aws.made("PutSecretValue")}
        self.assertEqual((len(tokens), len(values)), (1, 2))
        self.assertTrue(all(len(value) == 64 for value in values))

    def files(self):
        directory = self.root / "var/lib/cloudmw"
        return {path.name: path.read_text() for path in directory.iterdir()} if directory.exists() else {}

    def test_coordinators_that_come_at_once_have_one_authority_and_one_token(self):
        """The second one asks when the first has made nothing yet, and makes values of its own."""
        self.agent(process="coordinator").fetch_identity()
        first = self.files()
        known = dict(self.aws.values)
        asked = []

        def secrets(action, **parameters):
            if action == "GetSecretValue" and parameters["SecretId"] not in asked:
                asked.append(parameters["SecretId"])
                raise self.aws.refused("ResourceNotFoundException")
            return FakeAws.secrets(self.aws, action, **parameters)

        self.aws.secrets = secrets
        self.agent(process="coordinator").fetch_identity()
        self.assertEqual(asked, ["arn:authority", "arn:token"])
        self.assertEqual(self.files(), first)
        self.assertEqual(self.aws.values, known)
        made = self.aws.made("PutSecretValue")
        self.assertEqual(len({call["SecretString"] for call in made}), 4)
        self.assertEqual(len({call["ClientRequestToken"] for call in made}), 2)

    def test_only_the_coordinators_user_reads_the_authority_and_the_token(self):
        self.agent(process="coordinator").fetch_identity()
        directory = self.root / "var/lib/cloudmw"
        for name in ("authority.pem", "admin.token"):
            self.assertEqual((directory / name).stat().st_mode & 0o777, 0o600)
            self.assertIn(("chown", "cloudmw:cloudmw", f"{directory}/{name}.new"), self.commands)
        said = "\n".join(self.logged) + str(self.commands)
        self.assertNotIn(self.files()["admin.token"].split(":")[2], said)
        self.assertNotIn("PRIVATE KEY", said)

    def test_coordinator_has_the_authority_before_it_starts(self):
        self.results["dpkg-query"] = (0, "install ok installed")
        present = []
        self.results["systemctl"] = lambda: present.append(set(self.files())) or (0, "")
        self.agent(process="coordinator").serve()
        self.assertEqual(present[0], {"cluster.secret", "authority.pem", "admin.token"})

    def test_helper_asks_for_the_secret_alone(self):
        self.results["dpkg-query"] = (0, "install ok installed")
        self.aws.values["arn:secret"] = "secret"
        self.agent().serve()
        self.assertEqual({call["SecretId"] for _, call in self.aws.calls}, {"arn:secret"})
        self.assertEqual(set(self.files()), {"cluster.secret"})

    def test_helper_serves_without_the_operators_token_and_takes_the_present_one_when_it_stops(self):
        self.results["dpkg-query"] = (0, "install ok installed")
        self.aws.values["arn:secret"] = "secret"
        agent = self.agent(operator_token="arn:operator")
        agent.serve()
        self.assertEqual(set(self.files()), {"cluster.secret"})
        self.aws.values["arn:operator"] = "cloudmw1:operator"
        present = []
        self.results["systemctl"] = lambda: present.append(self.files()) or (0, "")
        agent.leave()
        self.assertEqual(present[0]["operator.token"], "cloudmw1:operator\n")
        self.assertEqual((self.root / "var/lib/cloudmw/operator.token").stat().st_mode & 0o777, 0o600)

    def test_helper_stops_where_the_operators_token_is_refused(self):
        self.aws.answers["GetSecretValue"] = self.aws.refused("AccessDeniedException")
        self.agent(operator_token="arn:operator").leave()
        self.assertIn(("systemctl", "stop", "cloudmw-helper.service"), self.commands)

    def test_token_names_the_authority(self):
        self.agent(process="coordinator").fetch_identity()
        authority = self.root / "var/lib/cloudmw/authority.pem"
        key = subprocess.run(["openssl", "pkey", "-in", str(authority), "-pubout", "-outform", "DER"],
                             stdout=subprocess.PIPE, check=True).stdout
        self.assertRegex(self.files()["admin.token"], r"\Acloudmw1:admin:[A-Za-z0-9_-]{43}:[0-9a-f]{64}\n\Z")
        self.assertEqual(self.files()["admin.token"].strip().rpartition(":")[2], hashlib.sha256(key).hexdigest())

    def test_authority_has_the_form_of_a_coordinators(self):
        text = self.module.new_authority()
        self.assertEqual(re.findall("-----BEGIN (.*)-----", text), ["PRIVATE KEY", "CERTIFICATE"])
        shown = subprocess.run(["openssl", "x509", "-noout", "-text"], input=text[text.index("-----BEGIN CERT"):],
                               stdout=subprocess.PIPE, check=True, text=True).stdout
        for part in ("NIST CURVE: P-256", "ecdsa-with-SHA256", "CA:TRUE, pathlen:0", "Certificate Sign, CRL Sign",
                     "X509v3 Basic Constraints: critical", "X509v3 Key Usage: critical", "X509v3 Subject Key Identifier"):
            self.assertIn(part, shown)

    def test_the_same_token_names_another_authority_after_it_was_replaced(self):
        self.agent(process="coordinator").fetch_identity()
        former = self.files()["admin.token"]
        self.aws.values["arn:authority"] = self.module.new_authority()
        self.agent(process="coordinator").fetch_identity()
        present = self.files()["admin.token"]
        self.assertEqual(present.strip(), former.rpartition(":")[0] + ":" + self.module.fingerprint(self.files()["authority.pem"]))
        self.assertNotEqual(present, former)
        self.assertEqual(self.aws.values["arn:token"], present.strip())
        made = len(self.aws.made("PutSecretValue"))
        self.agent(process="coordinator").fetch_identity()
        self.assertEqual(self.files()["admin.token"], present)
        self.assertEqual(len(self.aws.made("PutSecretValue")), made)

    def serving_coordinator(self):
        self.results["dpkg-query"] = (0, "install ok installed")
        self.module.AUTHORITY_SECONDS = 0
        agent = self.agent(process="coordinator")
        agent.ready = lambda: True
        self.wanted("InService")
        agent.step()
        return agent

    def test_published_authority_reaches_the_other_coordinators(self):
        """Two coordinators: the root of this test is the second's; the first one's has another."""
        second = self.serving_coordinator()
        next_one = self.files()["authority.pem"].strip() + "\n" + self.module.new_authority()
        second.step()
        self.assertNotEqual(self.files()["authority.pem"].strip(), next_one.strip())
        self.aws.values["arn:authority"] = next_one
        second.step()
        self.assertEqual(self.files()["authority.pem"].strip(), next_one.strip())

    def test_authority_of_a_file_is_published_once_it_is_said(self):
        agent = self.serving_coordinator()
        file = self.root / "var/lib/cloudmw/authority.pem"
        former = file.read_text()
        prepared = self.module.new_authority()
        file.write_text(prepared)
        agent.step()
        self.assertEqual(file.read_text(), prepared)
        self.assertNotEqual(self.aws.values["arn:authority"], prepared.strip())
        for _ in range(2):
            self.agent(process="coordinator").publish_authority()
            self.assertEqual(self.aws.values["arn:authority"], prepared.strip())
        self.assertTrue(self.aws.values["arn:token"].endswith(self.module.fingerprint(prepared)))
        agent.step()
        self.assertEqual(file.read_text(), prepared)
        file.write_text(former)
        self.agent(process="coordinator").publish_authority()
        self.assertEqual(self.aws.values["arn:authority"], former.strip())
        self.assertNotIn("PRIVATE KEY", "\n".join(self.logged) + str(self.commands))

    def test_authority_is_not_published_over_one_that_this_coordinator_does_not_have(self):
        self.serving_coordinator()
        (self.root / "var/lib/cloudmw/authority.pem").write_text(self.module.new_authority())
        published = self.module.new_authority().strip()
        self.aws.values["arn:authority"] = published
        with self.assertRaisesRegex(RuntimeError, "on one coordinator"):
            self.agent(process="coordinator").publish_authority()
        self.assertEqual(self.aws.values["arn:authority"], published)
        with self.assertRaisesRegex(RuntimeError, "no coordinator"):
            self.agent().publish_authority()

    def test_token_that_the_administrator_put_stays(self):
        agent = self.agent(process="coordinator")
        agent.fetch_identity()
        own = self.module.new_admin_token(self.files()["admin.token"].strip().rpartition(":")[2])
        self.aws.values["arn:token"] = own + "\n"
        agent.fetch_identity()
        self.assertEqual(self.files()["admin.token"], own + "\n")

    def test_coordinator_that_may_not_read_the_authority_makes_none(self):
        self.aws.answers["GetSecretValue"] = self.aws.refused("AccessDeniedException")
        with self.assertRaisesRegex(self.module.AwsError, "AccessDenied"):
            self.agent(process="coordinator").fetch_identity()
        self.assertEqual(self.aws.made("PutSecretValue"), [])
        self.assertEqual(self.files(), {})

    def volumes(self, *volumes):
        items = "".join(
            f"<item><volumeId>{volume}</volumeId><attachmentSet>"
            + (f"<item><instanceId>{holder}</instanceId></item>" if holder else "")
            + f"</attachmentSet><tagSet><item><key>cloudmw:helper</key><value>{name}</value></item></tagSet></item>"
            for name, volume, holder in volumes)
        return f'<DescribeVolumesResponse xmlns="urn:ec2"><volumeSet>{items}</volumeSet></DescribeVolumesResponse>'

    def test_disk_that_another_instance_attached_first_is_left_to_it(self):
        self.aws.answers["DescribeVolumes"] = self.volumes(("h0", "vol-0", "i-9"), ("h1", "vol-1", None), ("h2", "vol-2", None))
        self.aws.answers["AttachVolume"] = [self.aws.refused("VolumeInUse"), ""]
        self.assertEqual(self.agent().disks.claim(), ("h2", "vol-2"))
        self.assertEqual([call["VolumeId"] for call in self.aws.made("AttachVolume")], ["vol-1", "vol-2"])

    def test_restarted_agent_keeps_its_disk(self):
        self.aws.answers["DescribeVolumes"] = self.volumes(("h0", "vol-0", None), ("h1", "vol-1", "i-1"))
        self.assertEqual(self.agent().disks.claim(), ("h1", "vol-1"))
        self.assertEqual(self.aws.made("AttachVolume"), [])

    def test_instance_without_a_free_disk_waits(self):
        self.aws.answers["DescribeVolumes"] = self.volumes(("h0", "vol-0", "i-9"))
        with self.assertRaisesRegex(RuntimeError, "no disk of demo-helpers is free in eu-central-1a"):
            self.agent().disks.claim()

    def test_right_that_is_missing_is_told(self):
        self.aws.answers["DescribeVolumes"] = self.volumes(("h0", "vol-0", None))
        self.aws.answers["AttachVolume"] = self.aws.refused("UnauthorizedOperation", 403)
        with self.assertRaisesRegex(self.module.AwsError, "UnauthorizedOperation"):
            self.agent().disks.claim()

    def device(self):
        directory = self.root / "dev/disk/by-id"
        directory.mkdir(parents=True)
        (directory / "nvme-Amazon_Elastic_Block_Store_vol1").touch()
        self.results["mountpoint"] = (1, "")

    def test_disk_with_a_file_system_is_not_formatted(self):
        self.device()
        self.agent().mount("vol-1")
        self.assertNotIn("mkfs.ext4", [command[0] for command in self.commands])
        self.assertIn("mount", [command[0] for command in self.commands])

    def test_disk_that_cannot_be_looked_at_is_not_formatted(self):
        self.device()
        self.results["blkid"] = (1, "I/O error")
        with self.assertRaisesRegex(RuntimeError, "I/O error"):
            self.agent().mount("vol-1")
        self.assertNotIn("mkfs.ext4", [command[0] for command in self.commands])

    def test_empty_disk_is_formatted(self):
        self.device()
        self.results["blkid"] = (2, "")
        self.agent().mount("vol-1")
        self.assertIn("mkfs.ext4", [command[0] for command in self.commands])

    def test_note_of_a_drained_disk_goes_with_the_disk(self):
        self.device()
        self.aws.answers["DescribeVolumes"] = self.volumes(("h1", "vol-1", "i-1"))
        agent = self.agent(has_disk=True)
        agent.mount("vol-1")
        drained = self.root / "var/lib/cloudmw/helper/drained"
        drained.touch()
        self.results["mountpoint"] = (0, "")
        agent.leave()
        self.assertTrue((self.root / "var/lib/cloudmw/helper/disk/drained").exists())
        drained.unlink()
        self.results["mountpoint"] = (1, "")
        self.agent(has_disk=True).mount("vol-1")
        self.assertTrue(drained.exists())
        self.assertFalse((self.root / "var/lib/cloudmw/helper/disk/drained").exists())

    def test_settings_name_id_and_zone(self):
        self.agent().configure("h1")
        text = (self.root / "etc/cloudmw/helper.properties").read_text()
        self.assertIn("helper.id=h1\n", text)
        self.assertIn("helper.disk.h1.domain=eu-central-1a\n", text)
        self.assertEqual((self.root / "etc/cloudmw/helper.env").read_text().splitlines()[1], 'A="b"')

    def test_restarted_agent_does_not_start_a_helper_that_was_stopped(self):
        (self.root / "run/cloudmw-fleet").mkdir(parents=True)
        (self.root / "run/cloudmw-fleet/served").touch()
        with self.assertRaisesRegex(RuntimeError, "does not answer yet"):
            self.agent().step()
        self.assertNotIn("systemctl", [command[0] for command in self.commands])

    def test_stop_that_drains_sends_heartbeats_until_it_ends(self):
        self.wanted("Terminated")
        drained = threading.Event()
        self.module.HEARTBEAT_SECONDS = 0.01
        self.aws.query_before = self.aws.query

        def query(service, version, action, **parameters):
            answer = self.aws.query_before(service, version, action, **parameters)
            if len(self.aws.made("RecordLifecycleActionHeartbeat")) >= 3:
                drained.set()
            return answer

        self.aws.query = query
        self.results["systemctl"] = lambda: (0, "") if drained.wait(30) else (1, "")
        self.agent().step()
        self.assertEqual([action for action, _ in self.aws.calls][-1], "CompleteLifecycleAction")
        self.assertEqual(self.aws.made("CompleteLifecycleAction")[0]["LifecycleHookName"], "left")

    def test_drain_goes_on_when_a_heartbeat_fails(self):
        self.wanted("Terminated")
        done = threading.Event()
        self.module.HEARTBEAT_SECONDS = 0.01
        failures = []

        def query(_service, _version, action, **_parameters):
            if action == "RecordLifecycleActionHeartbeat":
                failures.append(action)
                if len(failures) >= 2:
                    done.set()
                raise self.aws.refused("Throttling")
            self.aws.calls.append((action, {}))
            return ""

        self.aws.query = query
        self.results["systemctl"] = lambda: (0, "") if done.wait(30) else (1, "")
        self.agent().step()
        self.assertEqual([action for action, _ in self.aws.calls], ["CompleteLifecycleAction"])

    def test_spot_notice_stops_the_process_once_and_completes_no_hook(self):
        self.metadata.values["meta-data/spot/instance-action"] = "{}"
        agent = self.agent()
        agent.step()
        agent.step()
        self.assertEqual([command for command in self.commands if command[0] == "systemctl"], [("systemctl", "stop", "cloudmw-helper.service")])
        self.assertEqual(self.aws.calls, [])

    def test_hook_that_is_not_pending_yet_is_tried_again(self):
        self.wanted("Warmed:Stopped")
        self.results["dpkg-query"] = (0, "install ok installed")
        self.aws.answers["CompleteLifecycleAction"] = [self.aws.refused("No active Lifecycle Action"), ""]
        agent = self.agent()
        with self.assertRaises(self.module.AwsError):
            agent.step()
        agent.step()
        agent.step()
        self.assertEqual(len(self.aws.made("CompleteLifecycleAction")), 2)

    def test_instance_of_a_group_without_hooks_stops_asking(self):
        self.wanted("Warmed:Stopped")
        self.results["dpkg-query"] = (0, "install ok installed")
        self.module.HOOK_TRIES = 2
        self.aws.answers["CompleteLifecycleAction"] = self.aws.refused("No active Lifecycle Action")
        agent = self.agent()
        with self.assertRaises(self.module.AwsError):
            agent.step()
        agent.step()
        agent.step()
        self.assertEqual(len(self.aws.made("CompleteLifecycleAction")), 2)


class MetadataTest(unittest.TestCase):
    """Against a server of instance metadata whose tokens expire."""

    def setUp(self):
        self.tokens = []
        test = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_PUT(self):
                test.tokens.append(f"token-{len(test.tokens)}")
                self.reply(200, test.tokens[-1])

            def do_GET(self):
                if self.headers.get("X-aws-ec2-metadata-token") != (test.tokens or [None])[-1]:
                    return self.reply(401, "")
                self.reply(200, "i-1") if self.path == "/latest/meta-data/instance-id" else self.reply(404, "")

            def reply(self, status, text):
                self.send_response(status)
                self.end_headers()
                self.wfile.write(text.encode())

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.module = load()
        self.module.IMDS = f"http://127.0.0.1:{server.server_port}"

    def test_values_are_asked_for_with_a_token_that_is_renewed(self):
        metadata = self.module.Metadata()
        self.assertEqual(metadata.get("meta-data/instance-id"), "i-1")
        self.assertIsNone(metadata.get("meta-data/spot/instance-action"))
        self.assertEqual(len(self.tokens), 1)
        self.tokens.append("expired")
        self.assertEqual(metadata.get("meta-data/instance-id"), "i-1")
        self.assertEqual(len(self.tokens), 3)


class SignatureTest(unittest.TestCase):
    def test_signature_is_that_of_the_aws_sdk(self):
        """Compares a signed request with botocore's, where that is installed (it is in run.sh)."""
        try:
            import botocore.auth
            import botocore.awsrequest
            import botocore.credentials
        except ImportError:
            self.skipTest("botocore is not installed")
        sent = []
        test = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                sent.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.end_headers()

        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        module = load()
        module.ENDPOINT = f"http://127.0.0.1:{server.server_port}"
        metadata = FakeMetadata()
        metadata.values["meta-data/iam/security-credentials/"] = "role"
        metadata.values["meta-data/iam/security-credentials/role"] = json.dumps({
            "AccessKeyId": "AKIA", "SecretAccessKey": "secret", "Token": "token", "Expiration": "2999-01-01T00:00:00Z"})
        module.Aws(metadata, "eu-central-1").query("autoscaling", "2011-01-01", "CompleteLifecycleAction", InstanceId="i-1")
        headers, body = sent[0]
        headers = {name.lower(): value for name, value in headers.items()}
        request = botocore.awsrequest.AWSRequest(
            method="POST", url=module.ENDPOINT + "/", data=body,
            headers={name: headers[name] for name in ("content-type", "x-amz-content-sha256", "x-amz-security-token")})
        signer = botocore.auth.SigV4Auth(
            botocore.credentials.Credentials("AKIA", "secret", "token"), "autoscaling", "eu-central-1")
        request.context["timestamp"] = headers["x-amz-date"]
        request.headers["X-Amz-Date"] = headers["x-amz-date"]
        canonical = signer.canonical_request(request)
        signature = signer.signature(signer.string_to_sign(request, canonical), request)
        test.assertTrue(headers["authorization"].endswith("Signature=" + signature), canonical)


if __name__ == "__main__":
    unittest.main()
