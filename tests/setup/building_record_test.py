"""Every command of docs/building.md was tried, and the page claims no more than the record: `building_record_test.py
SOURCE`."""

import json
import pathlib
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(SOURCE / "tools"))
sys.dont_write_bytecode = True
from try_building import PAGE, commands_of, how_far, preset, table, trials  # noqa: E402

COLUMN = "tried from a fresh clone"
AGAIN = "tools/try_building.py tries what the page says and stores what came of it"


class BuildingRecord(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = (SOURCE / PAGE).read_text()
        cls.record = json.loads((SOURCE / "bench/results/building.json").read_text())

    def test_the_record_has_the_commands_of_the_page_and_no_others(self):
        expected = trials(self.page)
        self.assertGreater(len(expected), 5)
        self.assertEqual([commands_of(trial) for trial in self.record["trials"]], expected, AGAIN)

    def test_every_command_did_what_it_should(self):
        for trial in self.record["trials"]:
            for step in trial["commands"]:
                with self.subTest(command=step["command"]):
                    self.assertEqual(step["exit_code"], 0)

    def test_what_was_built_is_for_the_backend_of_its_command(self):
        backends = {"release": "OpenMP", "serial": "Serial", "threads": "Threads", "cuda": "Cuda", "hip": "HIP"}
        for trial in self.record["trials"]:
            command = trial["commands"][0]["command"]
            with self.subTest(command=command):
                self.assertRegex(trial["program"], rf"^\d+\.\d+\.\d+ \({backends[preset(command)]}\)$")

    def test_the_table_of_backends_says_what_the_record_does(self):
        known = {trial["commands"][0]["command"]: trial for trial in self.record["trials"] if len(trial["commands"]) == 1}
        for row in table(self.page, "command"):
            with self.subTest(backend=row["backend"]):
                trial = known[row["command"].strip("`")]
                self.assertEqual(row[COLUMN], how_far(trial))
                if trial["tests"]:
                    self.assertEqual(trial["tests"]["failed"], 0)

    def test_a_program_that_only_told_its_version_was_compiled_and_no_more(self):
        for trial in self.record["trials"]:
            ran = any(" run " in step["ran"] for step in trial["commands"])
            self.assertEqual(trial["extent"], "compiled and run" if ran else "compiled", trial["commands"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
