//! `morse-sim completions` and `morse-sim man`: completion scripts and manual pages.
use std::io::{self, Write};

use clap::{Args as ClapArgs, Command, CommandFactory as _};
use clap_complete::Shell;

use super::{Cli, exit};

/// Print a completion script for a shell
#[derive(Clone, Debug, ClapArgs)]
pub struct Completions {
    /// Shell that loads the script at its start
    pub shell: Shell,
}

/// Print a manual page: of the program or, given its name, of a command
#[derive(Clone, Debug, ClapArgs)]
pub struct Man {
    /// Name of the command
    pub command: Option<String>,
}

/// Prints the completion script of a shell.
pub(super) fn completions(args: &Completions, out: &mut dyn Write) -> u8 {
    let mut line = line();
    // Written to memory first: the generator does not report errors such as a full disk.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut line, "morse-sim", &mut script);
    let script = String::from_utf8_lossy(&script);
    // The generator for bash spells a hyphen in the program's name in two ways, so that the script does not match commands.
    let script = script.replace("morse__subcmd__sim", "morse__sim");
    code(out.write_all(script.as_bytes()))
}

/// Prints a manual page.
pub(super) fn man(args: &Man, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let line = line();
    let Some(name) = &args.command else {
        return code(clap_mangen::Man::new(line).render(out));
    };
    let Some(command) = line.find_subcommand(name) else {
        let names: Vec<&str> = line.get_subcommands().map(Command::get_name).collect();
        super::say(
            err,
            format_args!(
                "error: there is no command `{}`; there are: {}",
                morse_diagnostics::printable(name),
                names.join(", ")
            ),
        );
        return exit::INPUT;
    };
    code(clap_mangen::Man::new(command.clone()).render(out))
}

fn line() -> Command {
    let mut line = Cli::command();
    line.build(); // it adds `help`
    line
}

/// Returns the exit code; if writing failed, the reader of the output reports the reason.
fn code(written: io::Result<()>) -> u8 {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => exit::ENVIRONMENT,
        _ => exit::FINE,
    }
}
