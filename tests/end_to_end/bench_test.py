"""`halocline bench`: benchmarks check their results before they are timed, and write a record."""

import json
import pathlib
import unittest

from program import HAS_DEVICES, Run, scratch


class Bench(unittest.TestCase):
    def test_every_benchmark_is_listed_and_measured(self):
        with scratch() as folder:
            listed = Run(["bench", "list"], folder)
            self.assertEqual((listed.code, listed.err), (0, ""))
            names = [line.split()[0] for line in listed.out.splitlines()]
            self.assertIn("laplacian-3d", names)
            smallest = Run(["bench", *names, "--size", "1", "--repetitions", "1"], folder)
            self.assertEqual((smallest.code, smallest.err), (0, ""))
            # Not a multiple of a vector, a tile or a reduction tile.
            run = Run(["bench", *names, "--size", "37", "--repetitions", "3", "--json", "rows.json"], folder)
            self.assertEqual((run.code, run.err), (0, ""))
            record = json.loads((pathlib.Path(folder) / "rows.json").read_text())
            # Rows of the same benchmark are adjacent.
            self.assertEqual(list(dict.fromkeys(row["benchmark"] for row in record["rows"])), names)
            self.assertTrue(record["command"].startswith("halocline bench laplacian-3d"))
            for key in ("machine", "hardware", "backend", "commit", "date", "device"):
                self.assertTrue(record[key], key)
            for row in record["rows"]:
                self.assertTrue(row["verified"])
                self.assertGreater(row["median_seconds"], 0)
                if "interactions" in row:
                    self.assertEqual(row["interactions"], 37**2)
                    of_one = {"gravity of bodies": 20, "potential of bodies": 12}[row["problem"].split(",")[0]]
                    self.assertEqual(row["operations"], of_one * 37**2)
                    if "of_bound" in row:
                        self.assertAlmostEqual(
                            row["of_bound"], row["interactions_per_second"] / row["most_interactions_per_second"])
                else:
                    self.assertAlmostEqual(row["of_copy"], row["bytes_per_second"] / row["copy_bytes_per_second"])
                if "peer" in row:
                    self.assertAlmostEqual(row["peer"]["of_peer"], row["peer"]["seconds"] / row["median_seconds"])
            self.assertEqual(record["rows"][0]["bytes"], 16 * 37**3)
            self.assertEqual(record["rows"][0]["operations"], 10 * 37**3)
            bodies = [row["form"] for row in record["rows"] if row["benchmark"] == "nbody"]
            self.assertGreaterEqual(len(bodies), 8, "attractions and potentials, two precisions, two forms at least")
            sums = [row for row in record["rows"] if row["benchmark"] == "reductions"]
            self.assertEqual({row["bytes"] for row in sums}, {4 * 37**2})
            self.assertEqual({row["problem"] for row in sums}, {"sum, single, 1369", "segmented sum, single, 37 x 37"})

    def test_quartiles_of_few_repetitions(self):
        with scratch() as folder:
            for repetitions in (1, 2, 3, 4):
                run = Run(["bench", "dot", "--size", "8", "--repetitions", repetitions, "--json", "rows.json"], folder)
                self.assertEqual((run.code, run.err), (0, ""))
                for row in json.loads((pathlib.Path(folder) / "rows.json").read_text())["rows"]:
                    least, median, (first, third) = row["minimum_seconds"], row["median_seconds"], row["quartiles_seconds"]
                    self.assertEqual(sorted([least, first, median, third]), [least, first, median, third])
                    if repetitions == 2:
                        self.assertAlmostEqual((first + third) / median, 2)
                        self.assertAlmostEqual((least + median) / first, 2)

    def test_what_is_wrong_is_named(self):
        with scratch() as folder:
            for arguments, message in [
                (["laplacian-4d"], "`laplacian-4d`: no such benchmark; did you mean `laplacian-3d`?"),
                (["laplacian-3d", "list"], "`list`: no benchmark; `halocline bench list` alone lists them"),
                *([] if HAS_DEVICES else [(["dot", "peer-copy"], ") lacks this benchmark, which needs a build for CUDA")]),
                (["dot", "--size", "0"], "halocline bench: --size"),
                (["dot", "--size", "100000"], "--size 100000: at most 8192 in 3D"),
                (["nbody", "--size", "5000000"], "--size 5000000: at most 4194304 bodies"),
                (["reductions", "--size", "2000000"], "--size 2000000: at most 1048576 segments of as many values"),
                (["dot", "--size", "8", "--repetitions", "1", "--json", "no/such/folder.json"],
                 "cannot write no/such/folder.json: No such file or directory"),
            ]:
                run = Run(["bench", *arguments], folder)
                self.assertEqual(run.code, 4 if "--json" in arguments else 2, run.err)
                self.assertIn(message, run.err)
                self.assertEqual(run.files(), [])


unittest.main()
