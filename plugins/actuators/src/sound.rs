//! Loudspeaker: state of the playback of a sound.
use morse_api::{
    command::{Received, give},
    prelude::*,
    service::NoArguments,
    state::Stateful,
    warning::Warnings,
};
use serde_json::json;

/// Plays a sound at its position. No sound is produced: the state contains the file and the playback position, for programs
/// with audio output.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Playback, Chosen)]
pub struct Sound {
    /// File of the sound.
    pub file: String,
    /// Mode until a command or a request changes it: `play`, `pause` or `stop`.
    #[reflect(@Property("mode"), @Form::Words(&[("play", "play"), ("pause", "pause"), ("stop", "stop")]))]
    pub mode: Mode,
}

impl Default for Sound {
    fn default() -> Self {
        Self {
            file: String::new(),
            mode: Mode::Play,
        }
    }
}

/// Mode of a loudspeaker.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Plays, from the position where it was paused.
    Play,
    /// Is silent, and keeps its position.
    Pause,
    /// Is silent, and starts from the beginning the next time.
    #[default]
    Stop,
}

impl Mode {
    fn word(self) -> &'static str {
        match self {
            Self::Play => "play",
            Self::Pause => "pause",
            Self::Stop => "stop",
        }
    }

    fn of(word: &str) -> Option<Self> {
        let all = [Self::Play, Self::Pause, Self::Stop];
        all.into_iter().find(|mode| mode.word() == word)
    }
}

/// Mode to change to, kept until the next command.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SoundCommand {
    /// `play`, `pause` or `stop`; anything else has no effect.
    pub mode: String,
}

impl Stateful for SoundCommand {}

/// Current playback. Part of the state.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Playback {
    /// Current mode.
    pub mode: Mode,
    /// Tick in which the mode began.
    pub since: u64,
    /// Number of ticks of playback since the last stop.
    pub played: u64,
    /// Number of changes of the mode.
    pub changes: u64,
}

impl Stateful for Playback {}

/// Last mode in the settings. Part of the state.
#[derive(Component, Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Chosen(Mode);

impl Stateful for Chosen {}

impl Actuator for Sound {
    const KIND: &'static str = "sound";
    const HAS_DRIVE: bool = false;
    const MORSE_CLASS: Option<&'static str> = Some("Sound");
    type Command = SoundCommand;
}

pub(super) fn plugin(app: &mut App) {
    app.init_resource::<Warnings>()
        .add_actuator::<Sound, _>(default_action)
        .register_state::<Playback>()
        .register_state::<Chosen>()
        .add_systems(Startup, begin)
        .add_service::<Sound>(Service::new(
            "play",
            "Plays the sound.",
            |world, entity, _: NoArguments| set_mode(world, entity, Mode::Play),
        ))
        .add_service::<Sound>(Service::new(
            "pause",
            "Pauses.",
            |world, entity, _: NoArguments| set_mode(world, entity, Mode::Pause),
        ))
        .add_service::<Sound>(Service::new(
            "stop",
            "Stops.",
            |world, entity, _: NoArguments| set_mode(world, entity, Mode::Stop),
        ))
        .add_service::<Sound>(
            Service::new(
                "get_playback",
                "Returns file, mode, position in s, and the number of changes of the mode.",
                get_playback,
            )
            .read_only(),
        );
}

fn begin(
    mut sounds: Query<(
        &Sound,
        &mut SoundCommand,
        &mut Received<SoundCommand>,
        &mut Chosen,
    )>,
) {
    for (settings, mut command, mut received, mut chosen) in &mut sounds {
        chosen.0 = settings.mode;
        if command.mode.is_empty() {
            settings.mode.word().clone_into(&mut command.mode);
            received.0.clone_from(&command);
        }
    }
}

fn default_action(
    clock: Res<Clock>,
    mut warnings: ResMut<Warnings>,
    mut sounds: Query<(
        (&Sound, &ComponentPath, &Due),
        &mut SoundCommand,
        &mut Received<SoundCommand>,
        &mut Playback,
        &mut Chosen,
    )>,
) {
    for ((settings, path, due), mut command, mut received, mut playback, mut chosen) in &mut sounds
    {
        if due.0 && settings.mode != chosen.0 {
            chosen.0 = settings.mode;
            settings.mode.word().clone_into(&mut command.mode);
            received.0.clone_from(&command);
        }
        if due.0 {
            match Mode::of(&command.mode) {
                Some(mode) if mode != playback.mode => {
                    if mode == Mode::Stop {
                        playback.played = 0;
                    }
                    playback.mode = mode;
                    playback.since = clock.tick;
                    playback.changes += 1;
                }
                Some(_) => {}
                None => warnings.add(path, "the `mode` of a sound is `play`, `pause` or `stop`"),
            }
        }
        playback.played += u64::from(playback.mode == Mode::Play);
    }
}

fn set_mode(world: &mut World, entity: Entity, mode: Mode) -> Result<Outcome, ServiceError> {
    let mode = mode.word().to_owned();
    give(world, entity, SoundCommand { mode })?;
    Ok(Outcome::NOTHING)
}

fn get_playback(
    world: &mut World,
    entity: Entity,
    _: NoArguments,
) -> Result<Outcome, ServiceError> {
    let dt = world.resource::<Clock>().dt();
    let playback = world.get::<Playback>(entity).copied().unwrap_or_default();
    let file = world.get::<Sound>(entity).map(|sound| sound.file.clone());
    Ok(Outcome::Done(json!({
        "file": file, "mode": playback.mode.word(), "position": playback.played as f64 * dt,
        "changes": playback.changes,
    })))
}

#[cfg(test)]
mod tests {
    use morse_testing::TestWorld;

    use super::*;

    fn run(test: &mut TestWorld, ticks: u32) -> serde_json::Value {
        for _ in 0..ticks {
            test.step(BodyState::default());
        }
        let call = test.call("rover.sound", "get_playback", json!([]));
        call.reply().unwrap().value
    }

    #[test]
    fn it_goes_on_after_a_pause_and_begins_anew_after_a_stop() {
        let mut test = TestWorld::new(64.0, plugin, BodyState::default());
        let text = r#"(file: "horn.wav")"#;
        let sound = test.actuator::<Sound>("rover.sound", text, Isometry3::identity());
        let is = |mode: &str, position: f64, changes: u32| json!({"file": "horn.wav", "mode": mode, "position": position, "changes": changes});
        assert_eq!(run(&mut test, 32), is("play", 0.5, 1));
        let set_mode =
            |test: &TestWorld, mode: &str| test.send(sound, SoundCommand { mode: mode.into() });
        set_mode(&test, "pause");
        assert_eq!(run(&mut test, 32), is("pause", 0.5, 2));
        set_mode(&test, "nonsense");
        assert_eq!(run(&mut test, 1), is("pause", 0.5, 2));
        assert_eq!(
            test.app.world_mut().resource_mut::<Warnings>().take().len(),
            1
        );
        drop(test.call("rover.sound", "play", json!([])));
        assert_eq!(run(&mut test, 64), is("play", 1.5, 3));
        set_mode(&test, "stop");
        assert_eq!(run(&mut test, 9), is("stop", 0.0, 4));
        assert_eq!(test.get::<Playback>(sound).since, 130);
    }
}
