"""What MORSE's test programs are made of."""
