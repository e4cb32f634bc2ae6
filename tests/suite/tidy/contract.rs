//! Public interface of `morse_api`, listed: a change of the contract is seen as a change of `tests/golden/morse_api.txt`.
use std::{collections::BTreeSet, fs};

use syn::{
    Attribute, Field, Fields, FnArg, ImplItem, Item, ItemImpl, ItemTrait, Pat, Signature,
    TraitItem, Type, Visibility, parse_quote,
};

use super::{Source, root, sources};

/// Attributes that belong to the contract.
const ATTRIBUTES: [&str; 4] = ["derive", "deprecated", "must_use", "non_exhaustive"];

/// Returns the public items of a file, without docs and bodies. The lint `unreachable_pub` ensures that all of them can be
/// reached from outside the crate. `_` stands for private fields.
fn listing(file: &Source) -> String {
    let mut parsed =
        syn::parse_file(&file.text).unwrap_or_else(|error| panic!("{}: {error}", file.path));
    parsed.items = public(parsed.items);
    parsed.attrs.clear();
    match parsed.items.is_empty() {
        true => String::new(),
        false => format!("// {}\n{}\n", file.path, prettyplease::unparse(&parsed)),
    }
}

/// Returns the public items of a list of items.
fn public(items: Vec<Item>) -> Vec<Item> {
    let private: BTreeSet<String> = items.iter().filter_map(private_type).collect();
    items
        .into_iter()
        .filter_map(|item| shown(item, &private))
        .collect()
}

/// Returns the name of a type that is not public.
fn private_type(item: &Item) -> Option<String> {
    let (visibility, name) = match item {
        Item::Struct(item) => (&item.vis, &item.ident),
        Item::Enum(item) => (&item.vis, &item.ident),
        Item::Type(item) => (&item.vis, &item.ident),
        Item::Trait(item) => (&item.vis, &item.ident),
        _ => return None,
    };
    (!is_public(visibility)).then(|| name.to_string())
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Returns a public item without docs and bodies.
fn shown(mut item: Item, private: &BTreeSet<String>) -> Option<Item> {
    let is_shown = match &mut item {
        Item::Const(item) => keep(&mut item.attrs, &item.vis),
        Item::Static(item) => keep(&mut item.attrs, &item.vis),
        Item::Type(item) => keep(&mut item.attrs, &item.vis),
        Item::Use(item) => keep(&mut item.attrs, &item.vis),
        Item::Fn(item) => {
            *item.block = parse_quote!({});
            bare(&mut item.sig);
            keep(&mut item.attrs, &item.vis)
        }
        Item::Struct(item) => {
            hide(&mut item.fields);
            keep(&mut item.attrs, &item.vis)
        }
        Item::Enum(item) => {
            for variant in &mut item.variants {
                retain(&mut variant.attrs);
                variant
                    .fields
                    .iter_mut()
                    .for_each(|field| retain(&mut field.attrs));
            }
            keep(&mut item.attrs, &item.vis)
        }
        Item::Trait(item) => {
            of_trait(item);
            keep(&mut item.attrs, &item.vis)
        }
        Item::Impl(item) => of_impl(item, private),
        Item::Mod(item) => {
            if let Some((_, items)) = &mut item.content {
                *items = public(std::mem::take(items));
            }
            keep(&mut item.attrs, &item.vis)
        }
        Item::Macro(item) => {
            let is_exported = item
                .attrs
                .iter()
                .any(|attribute| attribute.path().is_ident("macro_export"));
            retain(&mut item.attrs);
            is_exported
        }
        _ => false,
    };
    is_shown.then_some(item)
}

/// Removes attributes that do not belong to the contract; true if an item is shown.
fn keep(attributes: &mut Vec<Attribute>, visibility: &Visibility) -> bool {
    retain(attributes);
    is_public(visibility)
}

fn retain(attributes: &mut Vec<Attribute>) {
    attributes.retain(|attribute| {
        ATTRIBUTES
            .iter()
            .any(|name| attribute.path().is_ident(name))
    });
}

/// Removes attributes and the word `mut` of parameters.
fn bare(signature: &mut Signature) {
    for input in &mut signature.inputs {
        match input {
            FnArg::Receiver(receiver) => receiver.mutability = None,
            FnArg::Typed(input) => {
                input.attrs.clear();
                if let Pat::Ident(pattern) = input.pat.as_mut() {
                    pattern.mutability = None;
                }
            }
        }
    }
}

/// Replaces private fields by one field without a type.
fn hide(fields: &mut Fields) {
    let hidden = |field: &&Field| !is_public(&field.vis);
    fields.iter_mut().for_each(|field| retain(&mut field.attrs));
    match fields {
        Fields::Named(named) if named.named.iter().any(|field| hidden(&field)) => {
            let public = std::mem::take(&mut named.named);
            named.named = public.into_iter().filter(|field| !hidden(&field)).collect();
            let private: syn::FieldsNamed = parse_quote!({ private: _ });
            named.named.extend(private.named);
        }
        Fields::Unnamed(unnamed) => {
            for field in unnamed
                .unnamed
                .iter_mut()
                .filter(|field| !is_public(&field.vis))
            {
                field.ty = Type::Infer(parse_quote!(_));
            }
        }
        _ => {}
    }
}

fn of_trait(item: &mut ItemTrait) {
    for member in &mut item.items {
        match member {
            TraitItem::Fn(member) => {
                retain(&mut member.attrs);
                bare(&mut member.sig);
                member.default = member.default.as_ref().map(|_| parse_quote!({}));
            }
            TraitItem::Type(member) => retain(&mut member.attrs),
            TraitItem::Const(member) => retain(&mut member.attrs),
            _ => {}
        }
    }
}

/// Leaves the public members of a type, or the head of a trait's implementation; true if there is something to show.
fn of_impl(item: &mut ItemImpl, private: &BTreeSet<String>) -> bool {
    let is_test = item
        .attrs
        .iter()
        .any(|attribute| attribute.path().is_ident("cfg"));
    retain(&mut item.attrs);
    let of_trait = item.trait_.is_some();
    item.items.retain_mut(|member| match member {
        ImplItem::Fn(member) => {
            member.block = parse_quote!({});
            bare(&mut member.sig);
            keep(&mut member.attrs, &member.vis)
        }
        ImplItem::Const(member) => keep(&mut member.attrs, &member.vis),
        ImplItem::Type(member) => {
            retain(&mut member.attrs);
            of_trait
        }
        _ => false,
    });
    !is_test && !names_private(item, private) && (of_trait || !item.items.is_empty())
}

/// True if an implementation is for a private type, or of a private trait.
fn names_private(item: &ItemImpl, private: &BTreeSet<String>) -> bool {
    let of_type = match item.self_ty.as_ref() {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    let of_trait = item
        .trait_
        .as_ref()
        .and_then(|(path, ..)| path.segments.last());
    let names = of_type.into_iter().chain(of_trait);
    names
        .into_iter()
        .any(|name| private.contains(&name.ident.to_string()))
}

#[test]
fn changes_of_the_contract_are_seen() {
    let mut files = sources(&["plugins/api/src"], &["rs"]);
    files.retain(|file| !file.path.ends_with("tests.rs"));
    let listed: String = files.iter().map(listing).collect();
    let path = root().join("tests/golden/morse_api.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &listed).expect("a listing");
    }
    let written = fs::read_to_string(&path).expect("a listing");
    let mut lines = listed.lines().zip(written.lines()).enumerate();
    let first = lines.find(|(_, (new, old))| new != old);
    assert!(
        listed == written,
        "the public interface of morse_api has changed (line {first:?}); \
         UPDATE_GOLDEN=1 cargo test --test suite contract writes it again"
    );
}

#[test]
fn a_listing_has_what_is_public() {
    let text = "//! Lamps.\n/// A lamp.\n#[derive(Clone)]\n#[reflect(x)]\npub struct Lamp { pub on: bool, watts: f64 }\n\
                pub struct Id(u32);\nstruct Own;\n\
                impl Lamp { /// Switches.\n#[must_use]\npub fn on(mut self) -> Self { self }\nfn off() {} }\n\
                impl Own { pub fn new() {} }\nimpl From<Own> for Lamp { fn from(own: Own) -> Self { todo() } }\n\
                impl Clone for Own {}\npub(crate) fn near() {}\n\
                pub trait Shine { const W: f64; type Of; fn shine(&self) { go() } }\n\
                #[cfg(test)]\nmod tests { pub fn t() {} }\npub mod a { pub use b::C; use d::E; }";
    let expected = "// a.rs\n#[derive(Clone)]\npub struct Lamp {\n    pub on: bool,\n    private: _,\n}\n\
                    pub struct Id(_);\nimpl Lamp {\n    #[must_use]\n    pub fn on(self) -> Self {}\n}\n\
                    impl From<Own> for Lamp {}\npub trait Shine {\n    const W: f64;\n    type Of;\n    fn shine(&self) {}\n}\n\
                    pub mod a {\n    pub use b::C;\n}\n\n";
    assert_eq!(listing(&Source::planted("a.rs", text)), expected);
}
