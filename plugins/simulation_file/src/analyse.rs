//! Reading of a simulation file for an editor: after errors, too, and with an index.

use morse_diagnostics::Sources;

use super::index::{Index, Recorder};
use super::load::{Loaded, load_indexed};
use super::vocabulary::Vocabulary;

/// Result of reading a simulation file for an editor.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The simulation, as far as it could be read, and its diagnostics.
    pub loaded: Loaded,
    /// Fields and words.
    pub index: Index,
    /// The text.
    pub sources: Sources,
}

/// Reads a simulation file, and records the fields and words in it.
pub fn analyse(name: &str, bytes: &[u8], vocabulary: &dyn Vocabulary) -> Analysis {
    let mut sources = Sources::default();
    let mut recorder = Recorder::recording();
    let loaded = load_indexed(name, bytes, &[], vocabulary, &mut sources, &mut recorder);
    Analysis {
        loaded,
        index: recorder.finish(),
        sources,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_words_are_recorded() {
        let text = "Simulation(environment: (motion: morse, rate: 60))";
        let index = analyse("a.ron", text.as_bytes(), &()).index;
        let [root, environment] = index.forms.as_slice() else {
            panic!("{:?}", index.forms);
        };
        assert!(root.known.contains(&"robots") && environment.known.contains(&"gravity"));
        let motion = &environment.written[0];
        assert_eq!(
            (motion.name.as_str(), &text[motion.value.range()]),
            ("motion", "morse")
        );
        assert_eq!(index.choices[0].words, ["default", "morse"]);
        assert_eq!(&text[index.choices[0].span.range()], "morse");
    }
}
