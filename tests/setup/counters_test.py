"""Counters of one launch on the first rank of a run: what is profiled, and the record: `counters_test.py SOURCE`."""

import csv
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
TOOL = SOURCE / "tools/ncu_counters.py"
PROVENANCE = {"machine": "vm", "hardware": "a device", "backend": "Cuda", "version": "1", "revision": "abc", "started": "today"}


def quantities():
    """The metrics that the tool reads, with their units."""
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("ncu_counters", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {metric: unit for metric, unit, _ in module.QUANTITIES.values()}


class FirstRank(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def start(self, **variables):
        """The script on a rank, with a stand-in for Nsight Compute that prints its arguments."""
        ncu = self.folder / "ncu"
        ncu.write_text("#!/bin/sh\necho profiled \"$@\"\n")
        ncu.chmod(0o755)
        known = {name: value for name, value in os.environ.items() if "RANK" not in name and "PROCID" not in name}
        return subprocess.run([SOURCE / "tools/profile_first_rank.sh", "t.csv", "jacobi_atomic", "echo", "run", "it all"],
                              env={**known, "PATH": f"{self.folder}:{os.environ['PATH']}", **variables}, capture_output=True,
                              text=True, timeout=60, check=True).stdout

    def test_one_launch_after_twenty_on_the_first_rank_alone(self):
        for name in ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"):
            words = self.start(**{name: "0"})
            self.assertTrue(words.startswith("profiled "), words)
            for part in ("--kernel-name jacobi_atomic", "--launch-skip 20 --launch-count 1", "--log-file t.csv echo run it all"):
                self.assertIn(part, words)
            self.assertEqual(self.start(**{name: "1"}), "run it all\n")

    def record(self, text):
        units = quantities()
        with (self.folder / "t.csv").open("w", newline="") as file:
            table = csv.writer(file, quoting=csv.QUOTE_ALL)
            table.writerow(["Kernel Name", *units])
            table.writerow(["", *units.values()])
            table.writerow(["(anonymous namespace)::jacobi_atomic(Line, const float *)", *["1,024"] * len(units)])
        (self.folder / "said").write_text(text)
        subprocess.run([sys.executable, TOOL, "t.csv", "said", "--of", "two ranks", "--json", "record.json"], cwd=self.folder,
                       timeout=60, check=True)
        return json.loads((self.folder / "record.json").read_text())

    def test_the_record_names_the_machine_of_a_run_and_has_the_launch(self):
        for text in (json.dumps({"provenance": PROVENANCE, "solves": []}, indent=1),
                     json.dumps({"provenance": PROVENANCE}) + "\n" + json.dumps({"transport": "nvshmem"}) + "\n"):
            record = self.record(text)
            self.assertEqual((record["machine"], record["commit"], record["date"]), ("vm", "abc", "today"))
            [launch] = record["counters"]
            self.assertEqual((launch["problem"], launch["kernel"], launch["launches"]), ("two ranks", "jacobi_atomic", 1))
            self.assertEqual(launch["form"], "reference: an atomic addition a thread")
            self.assertEqual(launch["block_size"], 1024)
            self.assertAlmostEqual(launch["achieved_occupancy"], 10.24)
            self.assertAlmostEqual(launch["profiled_seconds"], 1024e-9)


unittest.main()
