//! Limits of responses. `RustDDS` 0.15.1 divides a large message into fragments, and writes a byte too many into those that refer
//! to a request, as responses do (`DataFrag::write_to` serialises the `Option` around the inline parameters): nodes cannot read
//! them. A response that would be divided is therefore replaced by one that says so.
use byteorder::LittleEndian;
use ros2_client::dds::rustdds::DomainParticipant;
use serde::Serialize;

/// Maximum length of a response to nodes on networks, bytes: what fits into a datagram of the smallest usual size, that of IPv6.
const MOST_ON_NETWORKS: usize = 1100;
/// Maximum length of a response to nodes that are on loopback only, bytes: a datagram, less its headers.
const MOST_ON_LOOPBACK: usize = 65_000;
/// Maximum length of a text in a response, bytes.
const LONGEST_TEXT: usize = 800;

/// Returns the reason why a response cannot be sent to the nodes that read a topic of DDS, if it is too long for them.
pub(crate) fn obstacle(
    participant: &DomainParticipant,
    topic: &str,
    response: &impl Serialize,
) -> Option<String> {
    // One that cannot be serialised is an error of the sender.
    let length = cdr_encoding::to_vec::<_, LittleEndian>(response)
        .ok()?
        .len();
    if length <= MOST_ON_NETWORKS {
        return None;
    }
    let readers = participant.discovered_readers();
    let mut readers = readers
        .iter()
        .filter(|reader| reader.subscription_topic_data.topic_name() == topic);
    let is_on_loopback = readers.all(|reader| {
        let locators = &reader.reader_proxy.unicast_locator_list;
        !locators.is_empty() && !locators.iter().any(|locator| !locator.is_loopback())
    });
    if !is_on_loopback {
        return Some(format!(
            "the response has {length} bytes, and nodes that are not on loopback only receive at most {MOST_ON_NETWORKS}: \
             request less, or start them with the profile examples/ros2_loopback.xml"
        ));
    }
    (length > MOST_ON_LOOPBACK).then(|| {
        format!("the response has {length} bytes, and {MOST_ON_LOOPBACK} can be sent: request less")
    })
}

/// Returns a text, or its beginning if it is too long for a response.
pub(crate) fn shortened(mut text: String) -> String {
    if text.len() > LONGEST_TEXT {
        text.truncate(text.floor_char_boundary(LONGEST_TEXT));
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_a_limit() {
        assert_eq!(shortened("ö".repeat(400)), "ö".repeat(400));
        let long = shortened(format!("a{}", "ö".repeat(400)));
        assert_eq!(long, format!("a{}…", "ö".repeat(399)));
    }
}
