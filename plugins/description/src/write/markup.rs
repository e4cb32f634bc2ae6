//! XML text with indentation, and numbers and angles as attributes.
use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};

/// Text of a document under construction.
#[derive(Default)]
pub(super) struct Markup {
    text: String,
    open: Vec<&'static str>,
}

/// Attributes of an element.
pub(super) type Attributes<'a> = &'a [(&'static str, String)];

impl Markup {
    /// Returns a document with its declaration.
    pub(super) fn new() -> Self {
        Self {
            text: "<?xml version=\"1.0\"?>\n".to_owned(),
            open: Vec::new(),
        }
    }

    /// Writes an element without content.
    pub(super) fn empty(&mut self, name: &str, attributes: Attributes<'_>) {
        self.start(name, attributes);
        self.text.push_str("/>\n");
    }

    /// Writes an element with a text.
    pub(super) fn text(&mut self, name: &str, attributes: Attributes<'_>, content: &str) {
        self.start(name, attributes);
        self.text.push('>');
        escape(&mut self.text, content);
        self.text.push_str(&format!("</{name}>\n"));
    }

    /// Begins an element; [`Markup::close`] ends it.
    pub(super) fn open(&mut self, name: &'static str, attributes: Attributes<'_>) {
        self.start(name, attributes);
        self.text.push_str(">\n");
        self.open.push(name);
    }

    /// Ends the innermost element.
    pub(super) fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            self.indent();
            self.text.push_str(&format!("</{name}>\n"));
        }
    }

    /// Writes the text of elements, indented as content of the innermost element.
    pub(super) fn include(&mut self, elements: &str) {
        for line in elements.lines() {
            self.indent();
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    /// Returns the text, with all elements ended.
    pub(super) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }

    fn start(&mut self, name: &str, attributes: Attributes<'_>) {
        self.indent();
        self.text.push('<');
        self.text.push_str(name);
        for (name, value) in attributes {
            self.text.push_str(&format!(" {name}=\""));
            escape(&mut self.text, value);
            self.text.push('"');
        }
    }

    fn indent(&mut self) {
        for _ in 0..self.open.len() {
            self.text.push_str("  ");
        }
    }
}

fn escape(text: &mut String, value: &str) {
    for letter in value.chars() {
        match letter {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\n' | '\r' | '\t' => text.push_str(&format!("&#{};", letter as u32)),
            other => text.push(other),
        }
    }
}

/// Returns the shortest text that is read as the same number.
pub(super) fn number(value: f64) -> String {
    let value = if value == 0.0 { 0.0 } else { value };
    let text = format!("{value:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Returns numbers with blanks between.
pub(super) fn numbers<'a>(values: impl IntoIterator<Item = &'a f64>) -> String {
    let values: Vec<String> = values.into_iter().map(|value| number(*value)).collect();
    values.join(" ")
}

/// Returns the angles about the fixed axes x, y and z, in this order, that make a rotation, rad. They are exact at any pitch.
pub(super) fn roll_pitch_yaw(rotation: &UnitQuaternion<f64>) -> [f64; 3] {
    let matrix: Matrix3<f64> = rotation.to_rotation_matrix().into_inner();
    let level = libm::hypot(matrix[(0, 0)], matrix[(1, 0)]);
    let pitch = libm::atan2(-matrix[(2, 0)], level);
    let yaw = libm::atan2(matrix[(1, 0)], matrix[(0, 0)]);
    // Near a pitch of 90° yaw is arbitrary, and roll has to fit it.
    let (sin, cos) = libm::sincos(yaw);
    let row = |column| cos * matrix[(1, column)] - sin * matrix[(0, column)];
    [libm::atan2(-row(2), row(1)), pitch, yaw]
}

/// Returns the translation of a pose, and its roll, pitch and yaw, as texts.
pub(super) fn origin(pose: &Isometry3<f64>) -> [String; 2] {
    [
        numbers(pose.translation.vector.iter()),
        numbers(&roll_pitch_yaw(&pose.rotation)),
    ]
}

/// Returns the six numbers of an inertia: xx, yy, zz, xy, xz, yz.
pub(super) fn six(inertia: &Matrix3<f64>) -> [f64; 6] {
    [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].map(|index| inertia[index])
}

/// Returns a unit vector along an axis.
pub(super) fn unit(axis: &Vector3<f64>) -> Vector3<f64> {
    // Division by the component of the greatest magnitude keeps the squares within range.
    (axis / axis.amax()).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_exact_at_any_pitch() {
        for pitch in [
            0.0,
            1.0,
            std::f64::consts::FRAC_PI_2 - 1e-7,
            std::f64::consts::FRAC_PI_2,
            1e-10 - std::f64::consts::FRAC_PI_2,
            -1.3,
        ] {
            for roll in [0.0, 0.7, -3.0] {
                for yaw in [0.0, 2.0, -3.1] {
                    let rotation = UnitQuaternion::from_euler_angles(roll, pitch, yaw);
                    let [r, p, y] = roll_pitch_yaw(&rotation);
                    let again = UnitQuaternion::from_euler_angles(r, p, y);
                    let apart = rotation.angle_to(&again);
                    assert!(apart < 2e-8, "{roll} {pitch} {yaw}: {apart}");
                    let change = (rotation.to_rotation_matrix().matrix()
                        - again.to_rotation_matrix().matrix())
                    .norm();
                    assert!(change < 1e-14, "{roll} {pitch} {yaw}: {change}");
                }
            }
        }
    }

    #[test]
    fn names_cannot_break_the_document() {
        let mut markup = Markup::new();
        markup.open("a", &[("name", "x\"><b>&\n".to_owned())]);
        markup.text("c", &[], "<&>");
        let text = markup.finish();
        let document = roxmltree::Document::parse(&text).expect("valid");
        let root = document.root_element();
        assert_eq!(root.attribute("name"), Some("x\"><b>&\n"));
        assert_eq!(
            root.descendants()
                .find_map(|node| node.text().filter(|text| text.contains('&'))),
            Some("<&>")
        );
    }

    #[test]
    fn numbers_come_back() {
        for value in [
            0.0,
            -0.0,
            1.0,
            0.1,
            1e-300,
            -1e22,
            f64::MAX,
            std::f64::consts::PI,
        ] {
            let text = number(value);
            assert_eq!(text.parse::<f64>().ok(), Some(value), "{text}");
        }
        assert_eq!(number(-0.0), "0");
    }
}
