//! Option `--memory`: memory limit of robots and sensors.
use clap::Args as ClapArgs;
use morse_api::memory::MemoryBudget;

/// Memory budget, as an argument of commands
#[derive(Clone, Copy, Debug, Default, ClapArgs)]
pub struct MemoryArgument {
    /// Memory limit of all robots and sensors together: 512MiB, 8GiB; 4GiB by default
    #[arg(long, value_name = "SIZE", value_parser = amount)]
    pub memory: Option<u64>,
}

impl MemoryArgument {
    /// Returns the budget.
    #[must_use]
    pub fn budget(self) -> MemoryBudget {
        self.memory.map_or_else(MemoryBudget::default, MemoryBudget)
    }
}

/// Parses an amount of memory, in bytes.
fn amount(text: &str) -> Result<u64, String> {
    let number = text.trim_end_matches(char::is_alphabetic);
    let unit = text.get(number.len()..).unwrap_or_default();
    let power = match unit {
        "" | "B" => 0,
        "K" | "KB" | "KiB" => 10,
        "M" | "MB" | "MiB" => 20,
        "G" | "GB" | "GiB" => 30,
        "T" | "TB" | "TiB" => 40,
        _ => {
            return Err(format!(
                "unknown unit `{unit}`; known: B, KiB, MiB, GiB, TiB"
            ));
        }
    };
    match number.trim().parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => {
            Ok((value * (1_u64 << power) as f64).round() as u64)
        }
        _ => Err("an amount is a number above 0 and a unit, such as 8GiB".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts() {
        for (text, bytes) in [
            ("8GiB", 8 << 30),
            ("8G", 8 << 30),
            ("1.5MiB", 3 << 19),
            ("512", 512),
            ("2TB", 2 << 40),
        ] {
            assert_eq!(amount(text), Ok(bytes), "{text}");
        }
        for bad in ["", "GiB", "-1GiB", "0", "8 parsecs", "nan", "8gib"] {
            assert!(amount(bad).is_err(), "{bad}");
        }
        assert_eq!(MemoryArgument::default().budget().0, 4 << 30);
    }
}
