//! Tests of the life cycle, and of refused connections.
use super::*;

struct Noted {
    name: &'static str,
    notes: Notes,
    init: Status,
}

impl Object for Noted {
    fn do_init(&mut self, _: &mut Context<'_>, event: SystemEvent) -> Status {
        assert_eq!(event, SystemEvent::Boot);
        self.notes.add(format!("init {}", self.name));
        self.init
    }

    fn do_start(&mut self, _: &mut Context<'_>, _: SystemEvent) -> Status {
        self.notes.add(format!("start {}", self.name));
        Status::SUCCESS
    }

    fn do_stop(&mut self, _: &mut Context<'_>, event: SystemEvent) -> Status {
        assert_eq!(event, SystemEvent::Shutdown);
        self.notes.add(format!("stop {}", self.name));
        Status::SUCCESS
    }

    fn do_destroy(&mut self, _: &mut Context<'_>, _: SystemEvent) -> Status {
        self.notes.add(format!("destroy {}", self.name));
        Status::SUCCESS
    }
}

const NAMES: [&str; 5] = ["A", "B", "C", "D", "E"];

fn objects(notes: &Notes, init: impl Fn(&str) -> Status) -> Vec<ObjectInstance> {
    let instance = |name: &'static str| {
        let object = Noted {
            name,
            notes: notes.clone(),
            init: init(name),
        };
        ObjectInstance::new(Interface::new(name), object)
    };
    NAMES.map(instance).into()
}

#[test]
fn each_step_is_taken_by_all_objects_before_the_next() {
    let notes = Notes::default();
    let mut system = boot(objects(&notes, |_| Status::SUCCESS), &[]);
    system.advance(100 * MS);
    system.shut_down();
    system.shut_down();
    let steps = ["init", "start", "stop", "destroy"];
    let expected: Vec<String> = steps
        .iter()
        .flat_map(|step| NAMES.map(|name| format!("{step} {name}")))
        .collect();
    assert_eq!(notes.all(), expected);
}

#[test]
fn an_object_that_cannot_initialise_is_named_and_does_not_start() {
    let notes = Notes::default();
    let of = |name: &str| {
        if name == "C" {
            Status(2)
        } else {
            Status::SUCCESS
        }
    };
    let mut system = boot(objects(&notes, of), &[]);
    system.advance(100 * MS);
    let faults = system.take_faults();
    assert_eq!(faults.len(), 1);
    assert_eq!(
        faults[0].to_string(),
        "`C`, entry 0 (init), at 0.000 s: returned FAIL (2)"
    );
    assert_eq!(notes.count("start C") + notes.count("stop C"), 0);
    assert_eq!(notes.count("start D"), 1);
}

#[test]
fn a_service_that_does_not_exist_is_named_and_the_others_are_joined() {
    let notes = Notes::default();
    let mut system = boot(
        vec![source(8 * MS, 3), sink("Sink", &notes, true)],
        &[
            join("Source.Oot.d.S", "Sink.In.d.O"),
            join("Source.Out.d.S", "Gone.In.x.O"),
            join("Source.Out.d.S", "Sink.In.d.O"),
            join("Source.Out.d.S", "Sink.In.d.O"),
        ],
    );
    system.advance(100 * MS);
    assert_eq!(notes.all(), ["1", "2", "3"]);
    let warnings = system.take_warnings();
    assert_eq!(
        warnings,
        [
            "`Source.Oot.d.S` NOT FOUND; did you mean `Source.Out.d.S`?",
            "`Gone.In.x.O` NOT FOUND",
            "`Source.Out.d.S` to `Sink.In.d.O`: already connected",
        ]
    );
}

#[test]
fn types_of_data_are_equal_and_services_are_of_one_object() {
    let notes = Notes::default();
    let other = ObjectInstance::new(
        Interface::new("Other").observer("In", "image"),
        Scripted::default(),
    );
    let mut system = boot(
        vec![
            source(8 * MS, 3),
            other,
            sink("Sink", &notes, true),
            sink("Sink", &notes, true),
        ],
        &[
            join("Source.Out.d.S", "Other.In.image.O"),
            join("Sink.In.d.O", "Source.Out.d.S"),
        ],
    );
    let warnings = system.take_warnings();
    assert!(warnings[0].contains("ALREADY_EXIST"), "{warnings:?}");
    assert!(warnings[1].contains("`d` and `image`"), "{warnings:?}");
    assert!(warnings[2].contains("a subject (`.S`)"), "{warnings:?}");
    assert_eq!((warnings.len(), system.report().links.len()), (3, 0));
}

#[test]
fn either_end_may_refuse() {
    struct Refuses(bool);
    impl Object for Refuses {
        fn control(&mut self, _: &mut Context<'_>, event: &ConnectionEvent) -> Status {
            assert!(event.is_new);
            Status::SUCCESS
        }
        fn connect(&mut self, _: &mut Context<'_>, event: &ConnectionEvent) -> Status {
            if self.0 && event.other.object == "Source" {
                Status::REFUSED
            } else {
                Status::SUCCESS
            }
        }
    }
    for (refuses, links) in [(true, 0), (false, 1)] {
        let instance = ObjectInstance::new(
            Interface::new("Picky").observer("In", "d"),
            Refuses(refuses),
        );
        let connections = [join("Source.Out.d.S", "Picky.In.d.O")];
        let mut system = boot(vec![source(MS, 1), instance], &connections);
        assert_eq!(system.report().links.len(), links);
        let warnings = system.take_warnings().join("\n");
        assert_eq!(warnings.contains("`Picky` refuses"), refuses, "{warnings}");
    }
}

#[test]
fn buffers_are_sized_at_the_beginning_only() {
    let notes = Notes::default();
    let own = notes.clone();
    let late = notes.clone();
    let object = Scripted::default()
        .init(move |context| {
            own.add(context.set_buffer_size(0, 30).to_string());
            own.add(context.set_unit_size(0, 0).to_string());
            own.add(context.set_unit_size(7, 3).to_string());
            context.set_unit_size(0, 3)
        })
        .start(move |context| {
            late.add(context.set_buffer_size(0, 30).to_string());
            late.add(context.room(0).to_string());
            Status::SUCCESS
        });
    let objects = vec![
        ObjectInstance::new(Interface::new("S").subject("Out", "d"), object),
        sink("O", &Notes::default(), false),
    ];
    boot(objects, &[join("S.Out.d.S", "O.In.d.O")]).advance(0);
    let expected = [
        "SUCCESS (0)",
        "INVALID_ARG (4)",
        "NOT_FOUND (6)",
        "REFUSED (19)",
        "30",
    ];
    assert_eq!(notes.all(), expected);
}
