"""Many rows of MORSE's catalogue in one simulation: each method `row_...` of a test is a test of its own."""
from pymorse import Morse


class Rows:
    """Runs the rows in the order of their names' first appearance."""

    def test_rows(self):
        rows = [name for base in type(self).__mro__ for name in vars(base) if name.startswith("row_")]
        self.assertTrue(rows)
        with Morse() as morse:
            for row in rows:
                with self.subTest(row):
                    getattr(self, row)(morse)

    def assertVector(self, actual, wanted, delta):
        self.assertEqual(len(actual), len(wanted))
        for index, (one, other) in enumerate(zip(actual, wanted)):
            self.assertAlmostEqual(one, other, delta=delta, msg=f"part {index} of {actual}")

    def assertFields(self, data, **wanted):
        """Named fields, each with a number and a tolerance."""
        for name, (value, delta) in wanted.items():
            self.assertAlmostEqual(data[name], value, delta=delta, msg=f"{name} of {data}")
