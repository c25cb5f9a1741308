"""The private names of Ray that the project uses exist and work as expected."""

from ray._private import ray_constants, services, worker

from workers.ray_private import (
    keep_quiet,
    reload_settings,
    resolve,
    stay_on_loopback,
    token_headers,
)


def test_a_token_set_after_the_import_of_ray_is_used(monkeypatch, tmp_path):
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("RAY_AUTH_TOKEN_PATH", raising=False)
    for token in ("a" * 64, "b" * 64):
        monkeypatch.setenv("RAY_AUTH_TOKEN", token)
        reload_settings()
        assert [*token_headers().values()] == [f"Bearer {token}"]
    monkeypatch.delenv("RAY_AUTH_TOKEN")
    reload_settings()
    assert token_headers() == {}
    monkeypatch.undo()
    reload_settings()


def test_ray_s_output_about_workers_is_dropped(monkeypatch):
    monkeypatch.setattr(worker, "print_to_stdstream", print)
    keep_quiet()
    assert worker.print_to_stdstream is not print
    assert worker.print_to_stdstream({"lines": ["lost"]}, ignore_prefix=False) is None


def test_loopback_stays_loopback(monkeypatch):
    monkeypatch.setattr(ray_constants, "ENABLE_RAY_CLUSTER", True)
    monkeypatch.setattr(services, "node_ip_address_from_perspective", lambda *_: "10.0.0.1")
    outer = services.canonicalize_bootstrap_address("127.0.0.1:5")
    stay_on_loopback()
    assert services.canonicalize_bootstrap_address("127.0.0.1:5") == "127.0.0.1:5" != outer


def test_auto_is_the_address_in_the_environment_and_others_are_unchanged(monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.1:6379")
    assert resolve("auto") == "10.0.0.1:6379"
    assert resolve("localhost:5") == "localhost:5"
