"""docs/python.md: its blocks run, one after the other, and its table is the module's."""

import re
import unittest
import warnings

from common import SOURCE, Case
from dpsvm import DpsvmClassifier, DpsvmRegressor
from dpsvm._parameters import OPTION_OF

with open(f"{SOURCE}/docs/python.md") as page:
    PAGE = page.read()


class Docs(Case):
    def test_blocks_run(self):
        blocks = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
        self.assertGreater(len(blocks), 6)
        names = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for block in blocks:
                exec(compile(block, "docs/python.md", "exec"), names)
        self.assertEqual(list(names["forest"].predict(names["trees"])), names["kind"])

    def test_the_table_is_that_of_the_module(self):
        found = dict(re.findall(r"^\| `(\w+)` \| `(\w+\.\w+)` \|", PAGE, re.MULTILINE))
        self.assertEqual(found, OPTION_OF)

    def test_every_option_exists_and_every_parameter_is_in_the_table(self):
        with open(f"{SOURCE}/docs/options.md") as page:
            options, section = set(), None
            for line in page:
                section = line[4:-2] if line.startswith("## [") else section
                key = re.match(r"\| `(\w+)` \|", line)
                options.add(f"{section}.{key[1]}" if key else None)
        self.assertLessEqual(set(OPTION_OF.values()), options)
        parameters = set(DpsvmClassifier().get_params()) | set(DpsvmRegressor().get_params())
        self.assertEqual(parameters - {"verbose", "options"}, set(OPTION_OF))


if __name__ == "__main__":
    unittest.main()
