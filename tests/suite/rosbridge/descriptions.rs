//! Descriptions of robots.
#![cfg(test)]
use super::{client::Bridge, serve};

#[test]
fn descriptions_of_robots_are_sent_to_new_subscribers() {
    let served = serve();
    let mut bridge = Bridge::new(&served);
    let state = bridge.one("/arm/joints");
    let description = bridge.one("/arm/robot_description");
    let urdf = description["data"].as_str().unwrap();
    assert!(urdf.contains(r#"<robot name="arm">"#), "{urdf}");
    for joint in state["name"].as_array().unwrap() {
        let joint = joint.as_str().unwrap();
        assert!(
            urdf.contains(&format!(r#"<joint name="{joint}""#)),
            "{joint}: {urdf}"
        );
    }
    served.end();
}
