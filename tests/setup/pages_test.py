"""Tables of docs match their records, and links between pages are valid: `pages_test.py SOURCE`."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
IMAGES = shutil.ignore_patterns("images")


def pages(*arguments):
    return subprocess.run([sys.executable, SOURCE / "tools/pages.py", *arguments], capture_output=True, text=True, timeout=600,
                          check=False)


def check(root):
    return pages("--check", "--root", root)


def anchors(page):
    """The anchors that GitHub generates for the headings of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    titles = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title) for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


class Tables(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        shutil.copytree(SOURCE / "docs", self.root / "docs", ignore=IMAGES)
        shutil.copytree(SOURCE / "bench/results", self.root / "bench/results")
        for page in SOURCE.glob("physics/*/README.md"):
            (self.root / page.relative_to(SOURCE)).parent.mkdir(parents=True)
            shutil.copy(page, self.root / page.relative_to(SOURCE))

    def test_pages_say_what_their_records_do(self):
        done = check(SOURCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_figure_that_was_changed_is_noticed(self):
        page = self.root / "docs/performance.md"
        text = page.read_text(encoding="utf-8")
        table = re.search(r"<!-- table: sweeps_h100 -->.*?<!-- end of table -->", text, re.DOTALL)[0]
        page.write_text(text.replace(table, table.replace("0.737 ms", "0.736 ms")), encoding="utf-8")
        done = check(self.root)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"docs/performance\.md: the table sweeps_h100 is not what its records say")
        self.assertRegex(done.stderr, r"0\.736 ms(.|\n)*0\.737 ms")

    def test_a_record_that_was_changed_is_noticed(self):
        path = self.root / "bench/results/deck_rates_shared_h100.json"
        record = json.loads(path.read_text(encoding="utf-8"))
        record["rows"][1]["seconds_an_iteration"] *= 2
        path.write_text(json.dumps(record), encoding="utf-8")
        done = check(self.root)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the table deck_rates_shared_h100 is not", done.stderr)

    def test_a_record_of_no_commit_is_noticed(self):
        for name, code in (("deck_rates_shared_h100", 1), ("multigrid_designs_h100", 0)):
            with self.subTest(record=name):
                path = self.root / f"bench/results/{name}.json"
                before = path.read_text(encoding="utf-8")
                path.write_text(json.dumps({**json.loads(before), "commit": "0123456789ab-dirty"}), encoding="utf-8")
                done = check(self.root)
                path.write_text(before, encoding="utf-8")
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertEqual(f"has the record {name}, whose commit is none" in done.stderr, code == 1)

    def test_a_table_that_nobody_makes_is_named(self):
        page = self.root / "docs/fields.md"
        page.write_text(page.read_text(encoding="utf-8") + "\n<!-- table: none -->\n<!-- end of table -->\n", encoding="utf-8")
        self.assertIn("docs/fields.md: no function in tools/page_tables makes the table none", check(self.root).stderr)

    def test_a_table_without_an_end_is_named(self):
        page = self.root / "docs/fields.md"
        page.write_text(page.read_text(encoding="utf-8") + "\n<!-- table: tealeaf -->\n", encoding="utf-8")
        self.assertIn("docs/fields.md: a table begins without an end", check(self.root).stderr)

    def test_tables_are_made_anew(self):
        page = self.root / "docs/performance.md"
        text = page.read_text(encoding="utf-8")
        empty = re.sub(r"(<!-- table: \w+ -->\n).*?(<!-- end of table -->)", r"\1\2", text, flags=re.DOTALL)
        page.write_text(empty, encoding="utf-8")
        self.assertEqual(pages("--root", self.root).returncode, 0)
        self.assertEqual(page.read_text(encoding="utf-8"), text)


class Links(unittest.TestCase):
    def test_links_lead_to_files_and_headings(self):
        pages = [*SOURCE.glob("*.md"), *SOURCE.glob("docs/*.md"), *SOURCE.glob("physics/*/README.md")]
        self.assertGreater(len(pages), 15)
        for page in pages:
            text = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", target):
                    continue
                with self.subTest(page=str(page.relative_to(SOURCE)), link=target):
                    path, _, anchor = target.partition("#")
                    there = (page.parent / path).resolve() if path else page
                    self.assertTrue(there.exists())
                    if anchor:
                        self.assertIn(anchor, anchors(there))


if __name__ == "__main__":
    unittest.main(verbosity=2)
