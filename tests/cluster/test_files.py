"""The cluster files, checked by Ray's own schema and preparation, without a network."""

import copy
import re
from pathlib import Path

import boto3
import moto
import pytest
import yaml
from ray.autoscaler._private.util import prepare_config, validate_config

ROOT = Path(__file__).resolve().parents[2]
FILES = ("cluster.yaml", "cluster-onprem.yaml")


def read(name):
    return yaml.safe_load((ROOT / name).read_text())


@pytest.mark.parametrize("name", FILES)
def test_ray_accepts_the_file(name):
    prepared = prepare_config(copy.deepcopy(read(name)))
    validate_config(prepared)
    assert (
        prepared["available_node_types"]
        and prepared["head_node_type"] in prepared["available_node_types"]
    )


def test_an_unknown_key_is_refused():
    config = read("cluster.yaml") | {"idle_timeout_minuts": 3}
    with pytest.raises(Exception, match="idle_timeout_minuts"):
        validate_config(config)


def test_the_head_has_no_cpus_and_workers_scale_down_to_zero():
    config = read("cluster.yaml")
    types = config["available_node_types"]
    assert types["head"]["resources"] == {"CPU": 0} and types["worker"]["min_workers"] == 0
    assert types["worker"]["node_config"]["InstanceMarketOptions"]["MarketType"] == "spot"
    for name in FILES:
        assert "--num-cpus=0" in " ".join(read(name)["head_start_ray_commands"])


@pytest.mark.parametrize("name", FILES)
def test_ray_requires_a_token_and_no_file_contains_a_secret(name):
    config, text = read(name), (ROOT / name).read_text()
    assert config["file_mounts"]["~/.ray/auth_token"] == "~/.ray/auth_token"
    assert "chmod 600 ~/.ray/auth_token" in " ".join(config["setup_commands"])
    starts = config["head_start_ray_commands"] + config["worker_start_ray_commands"]
    starts = [command for command in starts if "ray start" in command]
    assert len(starts) == 2
    assert all("RAY_AUTH_MODE=token ray start" in command for command in starts)
    assert "--dashboard-host=127.0.0.1" in starts[0] and "0.0.0.0" not in starts[0]
    assert not re.search(r"AKIA|BEGIN .*PRIVATE KEY|aws_secret|[0-9a-f]{32}", text)


@pytest.mark.parametrize("name", FILES)
def test_the_project_is_installed_with_its_pins_and_compiled(name):
    commands = " ".join(read(name)["setup_commands"])
    assert "make --silent .venv/.installed" in commands
    assert commands.endswith(".venv/bin/python -m engine.compile")
    assert "-c constraints.txt" in (ROOT / "Makefile").read_text()


@pytest.fixture
def amazon(monkeypatch, tmp_path):
    """Return an EC2 client of moto, which simulates AWS in this process."""
    monkeypatch.setenv("HOME", str(tmp_path))  # Ray writes its new key there
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("MOTO_IAM_LOAD_MANAGED_POLICIES", "true")
    # Ray waits until new roles are known in all regions
    monkeypatch.setattr("ray.autoscaler._private.aws.config.time.sleep", lambda seconds: None)
    with moto.mock_aws():
        yield boto3.client("ec2", read("cluster.yaml")["provider"]["region"])


def bring_up():
    """Request from AWS what `ray up cluster.yaml` requests: key, roles, group, head, a worker."""
    from ray.autoscaler._private.aws.config import bootstrap_aws
    from ray.autoscaler._private.aws.node_provider import AWSNodeProvider

    prepared = prepare_config(read("cluster.yaml"))
    config = bootstrap_aws(AWSNodeProvider.fillout_available_node_types_resources(prepared))
    provider = AWSNodeProvider(config["provider"], config["cluster_name"])
    for name, kind in config["available_node_types"].items():
        tags = {"ray-node-type": name, "ray-user-node-type": name, "ray-node-name": name}
        provider.create_node(copy.deepcopy(kind["node_config"]), tags, 1)
    return config["available_node_types"]


def test_machines_on_aws_have_encrypted_disks_and_protected_metadata(amazon):
    types = bring_up()
    assert types["head"]["resources"]["CPU"] == 0 and types["worker"]["resources"]["CPU"] == 16
    reservations = amazon.describe_instances()["Reservations"]
    machines = [machine for group in reservations for machine in group["Instances"]]
    assert {machine["InstanceType"] for machine in machines} == {"m6i.large", "c6i.4xlarge"}
    assert {machine["MetadataOptions"]["HttpTokens"] for machine in machines} == {"required"}
    assert all(machine["KeyName"] for machine in machines), "ssh is by key"
    volumes = amazon.describe_volumes()["Volumes"]
    assert len(volumes) == 2 and all(volume["Encrypted"] for volume in volumes)


def open_ports(amazon):
    """Yield (first port, last port, source addresses) of every rule that admits traffic from
    outside the group."""
    [group] = amazon.describe_security_groups(GroupNames=["quarto-evo"])["SecurityGroups"]
    for rule in group["IpPermissions"]:
        assert all(pair["GroupId"] == group["GroupId"] for pair in rule["UserIdGroupPairs"])
        for source in rule["IpRanges"]:
            yield rule["FromPort"], rule["ToPort"], source["CidrIp"]


def test_only_ssh_is_open_from_outside_and_a_restriction_is_kept(amazon):
    bring_up()
    assert list(open_ports(amazon)) == [(22, 22, "0.0.0.0/0")]
    line = re.search("# +(G=quarto-evo;.*)", (ROOT / "cluster.yaml").read_text())[1]
    for way in ("authorize", "revoke"):
        words = re.search(f"aws ec2 {way}-security-group-ingress .*?(?=&&|$)", line)[0].split()
        assert words[3:9] == ["--group-name", "$G", "--protocol", "tcp", "--port", "22"]
        change = getattr(amazon, f"{way}_security_group_ingress")
        ports = {"FromPort": 22, "ToPort": 22, "IpProtocol": "tcp"}
        change(GroupName="quarto-evo", CidrIp=words[10], **ports)
    bring_up()
    assert list(open_ports(amazon)) == [(22, 22, "203.0.113.7/32")]
