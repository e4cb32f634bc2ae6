//! Index of a simulation file for editors: its fields and words, with the names that could stand there.

use morse_diagnostics::Span;

use super::tree::Field;
use super::vocabulary::Family;

/// Fields and words of a simulation file.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// Values with named fields, outer ones before inner ones.
    pub forms: Vec<Form>,
    /// Words of a fixed set.
    pub choices: Vec<Choice>,
}

/// A value with named fields.
#[derive(Clone, Debug)]
pub struct Form {
    /// Name of the value.
    pub of: String,
    /// Span of the value.
    pub span: Span,
    /// Fields that are written.
    pub written: Vec<WrittenField>,
    /// Fields that the value can have, without the settings of its kind.
    pub known: Vec<&'static str>,
    /// Family and word of the kind whose settings are further fields.
    pub kind: Option<(Family, String)>,
}

/// A field in the text.
#[derive(Clone, Debug)]
pub struct WrittenField {
    /// Name of the field.
    pub name: String,
    /// Span of the name.
    pub name_span: Span,
    /// Span of the value.
    pub value: Span,
}

/// A word of a fixed set.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Span of the word.
    pub span: Span,
    /// All words that could stand there.
    pub words: Vec<String>,
    /// Family, if the words are kinds.
    pub family: Option<Family>,
}

/// Index of a form among those of a recorder.
#[derive(Clone, Copy, Debug)]
pub(super) struct FormIndex(Option<usize>);

/// Recorder of an index. Without [`Recorder::recording`] it records nothing.
#[derive(Debug, Default)]
pub(super) struct Recorder(Option<Box<Index>>);

impl Recorder {
    pub(super) fn recording() -> Self {
        Self(Some(Box::default()))
    }

    /// Returns the index.
    pub(super) fn finish(self) -> Index {
        self.0.map(|index| *index).unwrap_or_default()
    }

    pub(super) fn is_recording(&self) -> bool {
        self.0.is_some()
    }

    /// Records a value with named fields.
    pub(super) fn open(&mut self, of: &str, span: Span, written: &[Field]) -> FormIndex {
        let Some(index) = &mut self.0 else {
            return FormIndex(None);
        };
        let written = written.iter().map(|field| WrittenField {
            name: field.name.value.clone(),
            name_span: field.name_span(),
            value: field.value.span,
        });
        index.forms.push(Form {
            of: of.to_owned(),
            span,
            written: written.collect(),
            known: Vec::new(),
            kind: None,
        });
        FormIndex(Some(index.forms.len() - 1))
    }

    /// Records the fields that a value can have.
    pub(super) fn close(&mut self, form: FormIndex, known: &[&'static str]) {
        if let Some(form) = self.form(form) {
            form.known = known.to_vec();
        }
    }

    /// Records the kind whose settings are further fields of a value.
    pub(super) fn kind(&mut self, form: FormIndex, family: Family, word: &str) {
        if let Some(form) = self.form(form) {
            form.kind = Some((family, word.to_owned()));
        }
    }

    fn form(&mut self, form: FormIndex) -> Option<&mut Form> {
        self.0.as_mut()?.forms.get_mut(form.0?)
    }

    /// Records a word of a fixed set.
    pub(super) fn choice<'w>(
        &mut self,
        span: Span,
        words: impl IntoIterator<Item = &'w str>,
        family: Option<Family>,
    ) {
        if let Some(index) = &mut self.0 {
            index.choices.push(Choice {
                span,
                words: words.into_iter().map(str::to_owned).collect(),
                family,
            });
        }
    }
}
