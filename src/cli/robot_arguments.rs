//! Arguments for robot descriptions of ROS.
use std::{env, path::PathBuf};

use clap::Args as ClapArgs;
use morse_description::{packages::Packages, urdf::Root, xacro};

use crate::simulation::load::Descriptions;

/// Environment variables with directories of models, in the order of the search.
const MODEL_PATHS: [&str; 4] = [
    "GZ_SIM_RESOURCE_PATH",
    "SDF_PATH",
    "IGN_GAZEBO_RESOURCE_PATH",
    "GAZEBO_MODEL_PATH",
];

/// Packages of robot descriptions, and options of their models.
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct RobotArguments {
    /// Directory of a package that a robot description refers to; repeatable
    #[arg(long = "package", value_name = "NAME=DIRECTORY", value_parser = package)]
    pub packages: Vec<(String, PathBuf)>,
    /// Directory that contains models of Gazebo, for `model://NAME`; repeatable
    #[arg(long, value_name = "DIRECTORY", value_parser = directory)]
    pub sdf_path: Vec<PathBuf>,
    /// Argument of the macros of a robot description; repeatable
    #[arg(long, value_name = "NAME:=VALUE", value_parser = argument)]
    pub xacro: Vec<(String, String)>,
    /// Fix the root link of a robot description to the world
    #[arg(long)]
    pub fixed: bool,
    /// Hold joints without settings at their initial positions, by motors that are as stiff as necessary
    #[arg(long)]
    pub hold: bool,
    /// Add no floor under a robot description that runs by itself
    #[arg(long)]
    pub no_floor: bool,
    /// Divide collision meshes of moving bodies into at most N convex parts, instead of using their convex hulls
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub convex_parts: Option<u32>,
    /// Turn Collada meshes by the upward axes of their files, which RViz and Gazebo ignore
    #[arg(long)]
    pub collada_up_axis: bool,
}

impl RobotArguments {
    /// Returns the options for reading, with the packages of the environment.
    #[must_use]
    pub fn descriptions(&self) -> Descriptions {
        let paths = |name: &str| {
            let value = env::var_os(name).unwrap_or_default();
            let paths = env::split_paths(&value);
            paths.filter(|path| !path.as_os_str().is_empty()).collect()
        };
        Descriptions {
            packages: Packages {
                named: self.packages.clone(),
                ros_package_path: paths("ROS_PACKAGE_PATH"),
                ament_prefix_path: paths("AMENT_PREFIX_PATH"),
                model_paths: MODEL_PATHS
                    .iter()
                    .fold(self.sdf_path.clone(), |mut all, name| {
                        all.extend(paths(name));
                        all
                    }),
            },
            xacro: xacro::Options {
                arguments: self.xacro.clone(),
                environment: env::vars_os()
                    .filter_map(|(name, value)| {
                        Some((name.into_string().ok()?, value.into_string().ok()?))
                    })
                    .collect(),
                known: xacro::KnownArguments::default(),
            },
            root: match self.fixed {
                true => Root::Fixed,
                false => Root::Free,
            },
            hold: self.hold,
            no_floor: self.no_floor,
            convex_parts: self.convex_parts,
            collada_up_axis: self.collada_up_axis,
        }
    }
}

/// Parses `name:=value`.
fn argument(text: &str) -> Result<(String, String), String> {
    match text.split_once(":=") {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write it as NAME:=VALUE, such as gripper:=true".to_owned()),
    }
}

/// Parses `name=directory`.
fn package(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, directory)) if !name.is_empty() && !directory.is_empty() => {
            let directory = PathBuf::from(directory);
            match directory.is_dir() {
                true => Ok((name.to_owned(), directory)),
                false => Err(format!("there is no directory `{}`", directory.display())),
            }
        }
        _ => {
            Err("write it as NAME=DIRECTORY, such as arm_description=../arm_description".to_owned())
        }
    }
}

/// Returns a path if it is that of a directory.
fn directory(text: &str) -> Result<PathBuf, String> {
    let directory = PathBuf::from(text);
    match directory.is_dir() {
        true => Ok(directory),
        false => Err(format!("there is no directory `{text}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_have_a_name() {
        assert_eq!(argument("a:=b:=c"), Ok(("a".into(), "b:=c".into())));
        assert_eq!(argument("a:="), Ok(("a".into(), String::new())));
        assert!(argument("a=b").is_err() && argument(":=b").is_err());
    }

    #[test]
    fn packages_have_a_name_and_a_directory() {
        assert_eq!(package("a=."), Ok(("a".into(), ".".into())));
        for bad in ["a", "=.", "a=", "a=no/such/directory"] {
            assert!(package(bad).is_err(), "{bad}");
        }
    }
}
