"""Packages under the names that MORSE has for them; only the launcher puts them in reach."""
