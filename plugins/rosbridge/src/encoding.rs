//! Messages on topics in the forms that clients request: JSON, JSON in a PNG image, CBOR, and CBOR with a message in CDR.
use std::collections::BTreeMap;

use byteorder::LittleEndian;
use morse_ros::topics::AnyMessage;
use serde::Serialize;
use serde_json::{Value as Json, json};
use tungstenite::{Bytes, Message};

/// Form of the messages of a subscription.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Encoding {
    /// JSON.
    #[default]
    Json,
    /// JSON, as the pixels of a PNG image.
    Png,
    /// CBOR: bytes as such, and numbers that JSON lacks.
    Cbor,
    /// CBOR around a message in CDR, as between nodes of ROS 2.
    CborRaw,
}

/// Header of a message in CDR: little-endian.
const CDR_HEADER: [u8; 4] = [0, 1, 0, 0];

impl Encoding {
    /// Returns the encoding with the name in the field `compression` of a subscription.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "none" => Self::Json,
            "png" => Self::Png,
            "cbor" => Self::Cbor,
            "cbor-raw" => Self::CborRaw,
            _ => return None,
        })
    }
}

/// A message for subscribers, in the spellings of its topic and the encodings that they use.
pub(crate) struct Published {
    topic: String,
    message: AnyMessage,
    /// Simulated time, ns.
    nanos: u64,
    made: BTreeMap<(bool, Encoding), Option<Message>>,
}

#[derive(Serialize)]
struct Operation<'a, M: Serialize + ?Sized> {
    op: &'static str,
    topic: &'a str,
    msg: &'a M,
}

#[derive(Serialize)]
struct Raw {
    secs: u64,
    nsecs: u64,
    #[serde(serialize_with = "as_bytes")]
    bytes: Vec<u8>,
}

fn as_bytes<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

impl Published {
    /// Returns a message on a topic at a simulated time, ns.
    pub(crate) fn new(topic: &str, message: AnyMessage, nanos: u64) -> Self {
        Self {
            topic: topic.to_owned(),
            message,
            nanos,
            made: BTreeMap::new(),
        }
    }

    /// Returns the message, with the topic in one of its spellings; `None` if the encoding cannot represent it.
    pub(crate) fn encoded(&mut self, is_bare: bool, encoding: Encoding) -> Option<Message> {
        if let Some(made) = self.made.get(&(is_bare, encoding)) {
            return made.clone();
        }
        let topic = match is_bare {
            true => self.topic.strip_prefix('/').unwrap_or(&self.topic),
            false => &self.topic,
        };
        let made = encode(topic, &self.message, encoding, self.nanos);
        self.made.insert((is_bare, encoding), made.clone());
        made
    }
}

fn encode(topic: &str, message: &AnyMessage, encoding: Encoding, nanos: u64) -> Option<Message> {
    let operation = Operation {
        op: "publish",
        topic,
        msg: message,
    };
    match encoding {
        Encoding::Json => serde_json::to_string(&operation).ok().map(Message::text),
        Encoding::Png => {
            let text = serde_json::to_string(&operation).ok()?;
            let data = picture(text.as_bytes())?;
            let mut base64 = Vec::new();
            morse_api::samples::base64(&mut base64, &data);
            let data = String::from_utf8(base64).ok()?;
            Some(Message::text(
                json!({ "op": "png", "data": data }).to_string(),
            ))
        }
        Encoding::Cbor => binary(&operation),
        Encoding::CborRaw => {
            let mut bytes = CDR_HEADER.to_vec();
            bytes.extend(cdr_encoding::to_vec::<_, LittleEndian>(message).ok()?);
            binary(&Operation {
                op: "publish",
                topic,
                msg: &Raw {
                    secs: nanos / 1_000_000_000,
                    nsecs: nanos % 1_000_000_000,
                    bytes,
                },
            })
        }
    }
}

fn binary(value: &impl Serialize) -> Option<Message> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).ok()?;
    Some(Message::Binary(Bytes::from(bytes)))
}

/// Returns a PNG image whose pixels, three bytes each, are a text; its end is filled with line feeds.
fn picture(text: &[u8]) -> Option<Vec<u8>> {
    let pixels = text.len().div_ceil(3).max(1);
    let width = pixels.isqrt();
    let height = pixels.div_ceil(width);
    let mut data = text.to_vec();
    data.resize(width * height * 3, b'\n');
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(
        &mut file,
        u32::try_from(width).ok()?,
        u32::try_from(height).ok()?,
    );
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&data).ok()?;
    writer.finish().ok()?;
    Some(file)
}

/// Returns a message of a client in JSON.
pub(crate) fn relayed(message: &Json) -> AnyMessage {
    Box::new(message.clone())
}

#[cfg(test)]
mod tests {
    use morse_ros::messages::{Image, Text};

    use super::*;

    fn bytes(message: Option<Message>) -> Vec<u8> {
        match message {
            Some(Message::Binary(bytes)) => bytes.to_vec(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_text_in_a_picture_is_read_from_its_pixels() {
        for length in [0, 1, 2, 3, 11, 1000] {
            let text = "x".repeat(length);
            let file = picture(text.as_bytes()).unwrap();
            let mut reader = png::Decoder::new(std::io::Cursor::new(file))
                .read_info()
                .unwrap();
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut pixels).unwrap();
            assert_eq!(std::str::from_utf8(&pixels).unwrap().trim_end(), text);
        }
    }

    #[test]
    fn bytes_are_bytes_in_cbor() {
        let image = Image {
            data: morse_ros::messages::Bytes(vec![7; 300]),
            ..Image::default()
        };
        let mut published = Published::new("/eye", Box::new(image), 0);
        let message = bytes(published.encoded(false, Encoding::Cbor));
        // A string of 300 bytes.
        let start = [0x59, 0x01, 0x2c, 7, 7];
        assert!(message.windows(5).any(|window| window == start));
    }

    #[test]
    fn raw_messages_are_those_of_nodes() {
        let text = Text {
            data: "abc".to_owned(),
        };
        let mut published = Published::new("/chatter", Box::new(text), 1_500_000_000);
        let message = bytes(published.encoded(true, Encoding::CborRaw));
        // The header, the length with the final zero, the text.
        let cdr = [0, 1, 0, 0, 4, 0, 0, 0, b'a', b'b', b'c', 0];
        assert!(message.windows(cdr.len()).any(|window| window == cdr));
    }
}
