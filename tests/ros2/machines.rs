//! A node on another machine, which `ROS_STATIC_PEERS` names: two networks without multicast.
#![cfg(test)]
use std::{
    path::Path,
    process::{Command, Stdio},
};

use serde_json::{Value as Json, json};

use crate::{peer::python, require::say};

const WORLD: &str = r#"Simulation(
    robots: { "rover": (
        model: "robots/atrv.robray", base: kinematic,
        sensors: { "odometry": (kind: "odometry") }, actuators: { "motion": (kind: "v_omega") },
    ) },
    middlewares: { "ros": (kind: "ros2") },
)"#;

/// Commands that run a simulation in one network and a node in another one, with a cable between them and without multicast.
/// Arguments: the program, the simulation file, Python, its script and its argument, and the peers of both.
const NETWORKS: &str = r#"
set -e
ip link set lo up
unshare -n sleep 60 & other=$!
until [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
ip link add near type veth peer name far netns $other
ip address add 10.99.0.1/24 dev near
ip link set near multicast off up
there() { nsenter -t $other -n "$@"; }
there ip link set lo up
there ip address add 10.99.0.2/24 dev far
there ip link set far multicast off up
sleep 1
ROS_STATIC_PEERS=$6 "$1" "$2" --rtf 1 >"$2.out" 2>"$2.err" & simulation=$!
status=0
there env ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST ROS_STATIC_PEERS=$7 "$3" "$4" "$5" || status=$?
kill -INT $simulation
wait $simulation || true
kill $other
cat "$2.err" >&2
exit $status
"#;

/// Runs both, and returns what the node received, and the messages of the simulation; `None` if there are no further networks.
fn run(python: &Path, wanted: &Json, peers: [&str; 2]) -> Option<(Json, String)> {
    let can = Command::new("unshare")
        .args(["-rn", "ip", "link", "add", "near", "type", "veth"])
        .stderr(Stdio::null())
        .status();
    if !can.is_ok_and(|status| status.success()) {
        say("unshare, nsenter or ip cannot make networks: nodes on other machines");
        return None;
    }
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("world.ron");
    std::fs::write(&file, WORLD).unwrap();
    let output = Command::new("unshare")
        .args([
            "-rn",
            "bash",
            "-c",
            NETWORKS,
            "bash",
            env!("CARGO_BIN_EXE_morse-sim"),
        ])
        .arg(&file)
        .arg(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ros2/peer.py"))
        .arg(wanted.to_string())
        .args(peers)
        .env("ROS_DOMAIN_ID", "7")
        .env_remove("ROS_AUTOMATIC_DISCOVERY_RANGE")
        .output()
        .unwrap();
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(output.status.success(), "{stdout}{stderr}");
    let report = serde_json::from_str(stdout.lines().last().unwrap_or_default());
    Some((
        report.unwrap_or_else(|why| panic!("{why}: {stdout}{stderr}")),
        stderr,
    ))
}

#[test]
fn static_peers_are_nodes_on_other_machines() {
    let Some(python) = python() else { return };
    let twist = json!({ "linear": { "x": 0.5 } });
    let wanted = json!({
        "subscribe": { "/rover/odometry": ["nav_msgs/msg/Odometry", "reliable"] },
        "publish": { "/rover/motion": ["geometry_msgs/msg/Twist", twist] },
        "count": 90, "seconds": 15,
    });
    let Some((report, stderr)) = run(&python, &wanted, ["10.99.0.2", "10.99.0.1"]) else {
        return;
    };
    let messages = report["messages"]["/rover/odometry"].as_array().unwrap();
    assert!(
        messages.len() >= 90,
        "{} messages; {stderr}",
        messages.len()
    );
    let last = messages.last().unwrap();
    assert_eq!(last["twist"]["twist"]["linear"]["x"], 0.5, "{stderr}");
    assert!(stderr.contains("on this machine and 10.99.0.2"), "{stderr}");
    // Without them there is nothing to be found.
    let wanted = json!({ "graph": true, "seconds": 5 });
    let (report, _) = run(&python, &wanted, ["", ""]).unwrap();
    assert_eq!(report["nodes"], json!(["/peer"]));
}
