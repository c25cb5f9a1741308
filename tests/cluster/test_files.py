"""The cluster files, against Ray's own schema and preparation, without any network."""

import copy
import re
from pathlib import Path

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


def test_a_wrong_key_would_be_noticed():
    config = read("cluster.yaml") | {"idle_timeout_minuts": 3}
    with pytest.raises(Exception, match="idle_timeout_minuts"):
        validate_config(config)


def test_the_head_plays_no_matches_and_workers_come_and_go():
    config = read("cluster.yaml")
    types = config["available_node_types"]
    assert types["head"]["resources"] == {"CPU": 0} and types["worker"]["min_workers"] == 0
    assert types["worker"]["node_config"]["InstanceMarketOptions"]["MarketType"] == "spot"
    for name in FILES:
        assert "--num-cpus=0" in " ".join(read(name)["head_start_ray_commands"])


@pytest.mark.parametrize("name", FILES)
def test_ports_stay_inside_and_no_secret_is_in_a_file(name):
    config = read(name)
    opened = config["provider"].get("security_group", {}).get("IpPermissions", [])
    assert [(rule["FromPort"], rule["ToPort"]) for rule in opened] == ([(22, 22)] if opened else [])
    starts = " ".join(config["head_start_ray_commands"])
    assert "--dashboard-host=127.0.0.1" in starts and "0.0.0.0" not in starts
    assert not re.search(r"AKIA|BEGIN .*PRIVATE KEY|aws_secret", (ROOT / name).read_text())


@pytest.mark.parametrize("name", FILES)
def test_the_project_is_installed_with_its_pins_and_warmed(name):
    commands = " ".join(read(name)["setup_commands"])
    assert (
        "make --silent .venv/.installed" in commands
        and "evo.run --generations 1 --workers 0" in commands
    )
    assert "-c constraints.txt" in (ROOT / "Makefile").read_text()


def test_amazon_would_accept_the_machines(monkeypatch, tmp_path):
    """Against moto, an imitation of AWS in this process: instance types exist, the head and a
    worker can be configured."""
    monkeypatch.setenv("HOME", str(tmp_path))  # Ray writes the key that it makes there
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("MOTO_IAM_LOAD_MANAGED_POLICIES", "true")
    with moto.mock_aws():
        from ray.autoscaler._private.aws.node_provider import AWSNodeProvider

        config = AWSNodeProvider.fillout_available_node_types_resources(
            prepare_config(read("cluster.yaml"))
        )
        types = config["available_node_types"]
        assert types["head"]["resources"]["CPU"] == 0 and types["worker"]["resources"]["CPU"] == 16
