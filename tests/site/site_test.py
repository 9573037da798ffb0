"""Requirements of sites: one version everywhere, manual pages, completions of shells, module files of a moved installation:
`site_test.py PROGRAM SOURCES BUILD CMAKE`."""

import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

PROGRAM, ROOT, BUILD, CMAKE = (pathlib.Path(sys.argv.pop(1)) for _ in range(4))
LMOD = pathlib.Path("/usr/share/lmod/lmod/init/bash")
# A folder without files that a shell could complete.
EMPTY = tempfile.mkdtemp(prefix="halocline-site-")


def tearDownModule():
    shutil.rmtree(EMPTY)


def output(command, **more):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=600, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command[:4]}: {done.returncode}: {done.stderr}")
    return done.stdout


@functools.cache
def said(*words):
    return output([PROGRAM, *words])


def commands():
    return re.findall(r"^  ([a-z-]+) {2,}", said("--help").split("Subcommands:")[1].split("\n\n")[0], re.MULTILINE)


def needs(program):
    return unittest.skipUnless(shutil.which(program), f"{program} is not installed")


class Version(unittest.TestCase):
    def test_there_is_one(self):
        settings = (ROOT / "CMakeLists.txt").read_text()
        version = re.search(r"project\(Halocline VERSION ([\d.]+) ", settings)[1]
        date = re.search(r"HALOCLINE_VERSION_DATE ([\d-]+)\)", settings)[1]
        self.assertEqual(said("--version").split()[0], version)
        citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
        self.assertEqual((citation["version"], str(citation["date-released"])), (version, date))
        released = re.findall(r"^## \[([\d.]+)\] - ([\d-]+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
        self.assertEqual(released[0], (version, date))
        recipe = next((ROOT / "packaging/spack").rglob("package.py")).read_text()
        self.assertEqual(re.findall(r'version\("([\d.]+)"', recipe)[0], version)
        self.assertIn(f'.TH halocline 1 {date} "Halocline {version}"', said("list", "--man"))

    def test_a_citation_names_no_person(self):
        citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
        self.assertEqual((citation["cff-version"], citation["license"]), ("1.2.0", "BSD-3-Clause"))
        self.assertEqual(citation["authors"], [{"name": "The Halocline authors"}])
        self.assertIn("The Halocline authors", (ROOT / "LICENSE").read_text())


class Manual(unittest.TestCase):
    pages = {"halocline.1": ("list", "--man"), "halocline-deck.5": ("list", "options", "--man")}

    def plain(self, name):
        """A page as rendered, with its lines joined."""
        text = output(["mandoc", "-Tutf8", "-Owidth=1000"], input=said(*self.pages[name]))
        return re.sub(".\b", "", text)

    @needs("mandoc")
    def test_pages_are_without_mistakes(self):
        for name, words in self.pages.items():
            with self.subTest(name):
                self.assertEqual(output(["mandoc", "-Tlint", "-Wwarning"], input=said(*words)), "")

    @needs("groff")
    def test_pages_give_no_warnings(self):
        for name, words in self.pages.items():
            with self.subTest(name):
                done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-Kutf8"], input=said(*words), capture_output=True, text=True,
                                      timeout=600, check=True)
                self.assertEqual(done.stderr, "")

    @needs("mandoc")
    def test_the_page_has_all_that_help_tells(self):
        page = self.plain("halocline.1")
        for command in commands():
            part = re.split(r"\n   (?=\S)", page.split(f"\n   halocline {command}\n")[1])[0]
            options = set(re.findall(r"(--[a-z-]+)", said(command, "--help").split("Options:")[1].split("\n\n")[0]))
            self.assertLessEqual({"--help"}, options)
            for option in options:
                with self.subTest(command=command, option=option):
                    self.assertIn(option, part)
        for code in ("0 done", "5 stopped", "70 a defect"):
            self.assertIn(code, page)

    @needs("mandoc")
    def test_the_page_of_decks_has_all_options(self):
        page = self.plain("halocline-deck.5")
        names = re.findall(r"^(\S+?): ", said("list", "options"), re.MULTILINE)
        self.assertGreater(len(names), 300)
        for path in names:
            section, _, name = path.rpartition(".")
            part = re.split(r"\n   (?=\S)", page.split(f"\n   {section}\n")[1])[0] if section else page
            with self.subTest(path):
                self.assertRegex(part, rf"(?m)^     *{re.escape(name)}( |$)")

    def test_other_pages_are_refused(self):
        done = subprocess.run([PROGRAM, "list", "solvers", "--man"], capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("two manual pages", done.stderr)


# The typed text and the offered completions: all of them, or, with `...`, at least these.
TYPED = [
    ("halocline ru", ["run"]),
    ("halocline --v", ["--version"]),
    ("halocline completion ", ["bash", "zsh", "fish"]),
    ("halocline run --over", ["--overwrite"]),
    ("halocline run --set solver.meth", ["solver.method="]),
    ("halocline run x.yaml --quiet --set solver.cg.relative_t", ["solver.cg.relative_to=", "solver.cg.relative_tolerance="]),
    ("halocline check --set heat.bound", ["heat.boundary."]),
    ("halocline list solver.gmres.c", ["solver.gmres.chebyshev"]),
    ("halocline bench multi", ["multigrid"]),
    ("halocline bench --tune ", ["off", "read", "search"]),
    ("halocline new-physics x --kind ste", ["steady"]),
    ("halocline test-physics shal", ["shallow-water"]),
    ("halocline test-physics heat --only order\\ in\\ t", ["order in time"]),
    ("halocline run --ranks ", []),
]


class Completion(unittest.TestCase):
    def bash(self, line, breaks=None):
        """The completions that bash offers after this text."""
        script = 'source /dev/stdin <<<"$SCRIPT"\n'
        if breaks is not None:
            script += "COMP_WORDBREAKS=$BREAKS\n"
        script += ('COMP_LINE=$LINE COMP_POINT=${#LINE}\nCOMPREPLY=()\n$(complete -p halocline | sed "s/.*-F //; s/ .*//")\n'
                   'if ((${#COMPREPLY[@]})); then printf "%s\\n" "${COMPREPLY[@]}"; fi\n')
        environment = {**os.environ, "SCRIPT": said("completion", "bash"), "LINE": line, "BREAKS": breaks or ""}
        done = subprocess.run(["bash", "--norc", "-c", script], env=environment, cwd=EMPTY, capture_output=True, text=True, timeout=600,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), line)
        return done.stdout.splitlines()

    def test_bash(self):
        for line, offered in TYPED:
            with self.subTest(line):
                if "order" in line:
                    continue  # completion uses the typed word up to its first blank
                self.assertEqual(self.bash(line), offered)
        self.assertEqual(self.bash("halocline test-physics heat --only order"), [r"order\ in\ space", r"order\ in\ time"])

    def test_bash_knows_that_words_break_at_equals_signs(self):
        line = "halocline run --set solver.cg.preconditioner=ja"
        self.assertEqual(self.bash(line), ["jacobi"])
        self.assertEqual(self.bash(line, " \t\n"), ["solver.cg.preconditioner=jacobi"])
        self.assertEqual(self.bash("halocline run --set=mesh.ce"), ["mesh.cells="])
        self.assertEqual(self.bash("halocline bench --tune=se"), ["search"])
        self.assertEqual(self.bash("halocline run --set output.scalars.every="), [])
        self.assertEqual(self.bash("halocline run --set io.nothing=x"), [])

    def test_bash_offers_files_and_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a deck.yaml").touch()
            (pathlib.Path(folder) / "a folder").mkdir()
            for words, offered in (("run ", {"a deck.yaml", "a folder"}), ("run --output ", {"a folder"}),
                                   ("run x.yaml --plugin ", {"a deck.yaml", "a folder"})):
                line = f"halocline {words}{folder}/a"
                self.assertEqual({*self.bash(line)}, {f"{folder}/{name}" for name in offered})

    def test_every_option_is_offered(self):
        for command in commands():
            options = set(re.findall(r"(--[a-z-]+)", said(command, "--help").split("Options:")[1].split("\n\n")[0]))
            with self.subTest(command):
                self.assertLessEqual(options, {*self.bash(f"halocline {command} -")})
                self.assertIn(command, self.bash("halocline "))

    @needs("shellcheck")
    def test_the_script_for_bash_is_without_mistakes(self):
        with tempfile.NamedTemporaryFile("w", suffix=".bash") as file:
            file.write(said("completion", "bash"))
            file.flush()
            self.assertEqual(output(["shellcheck", "-s", "bash", file.name]), "")

    @needs("fish")
    def test_fish(self):
        with tempfile.TemporaryDirectory() as home:
            script = pathlib.Path(home) / "halocline.fish"
            script.write_text(said("completion", "fish"))
            environment = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home}
            for line, offered in TYPED:
                found = output(["fish", "--no-config", "-c", f"source {script}; complete -C \"$LINE\""], cwd=home,
                               env={**environment, "LINE": line}).splitlines()
                found = [each.split("\t")[0].replace("\\ ", " ") for each in found]
                with self.subTest(line):
                    if offered and offered[0].endswith("."):  # fish offers whole paths
                        self.assertTrue(found and all(each.startswith(offered[0]) for each in found), found)
                    else:
                        begin = line.split()[-1] if not line.endswith(" ") else ""
                        close = [each for each in found if each.startswith(begin.replace("\\ ", " ").split(" ")[-1][:1]) or not begin]
                        self.assertLessEqual({*offered}, {*found}, close)

    @needs("zsh")
    def test_zsh(self):
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "_halocline"
            script.write_text(said("completion", "zsh"))
            output(["zsh", "-n", script])
            # Typed in a terminal, followed by a tab.
            for line, shown in (("halocline ru", "halocline run "), ("halocline run --set solver.cg.preconditioner=ja", "=jacobi "),
                                ("halocline run --set solver.meth", "solver.method="), ("halocline run --overw", "--overwrite "),
                                ("halocline test-physics shal", "shallow-water ")):
                test = ("zmodload zsh/zpty; zpty shell zsh -f; zpty -w shell 'PS1= PROMPT= RPS1=; fpath=($FOLDER $fpath); "
                        "autoload -Uz compinit; compinit -u -D; echo rea''dy'; zpty -r -m shell said '*ready*'; "
                        "zpty -n -w shell \"$LINE\"$'\\t'; zpty -r -m shell said \"*$SHOWN*\"; print -r -- $said")
                with self.subTest(line):
                    found = output(["timeout", "20", "zsh", "-f", "-c", test],
                                   env={**os.environ, "FOLDER": folder, "LINE": line, "SHOWN": shown, "TERM": "dumb"})
                    self.assertIn(shown, found)

    def test_another_shell_is_refused(self):
        done = subprocess.run([PROGRAM, "completion", "tcsh"], capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 2)


class Installation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="halocline-site-")
        first = pathlib.Path(cls.place.name) / "first"
        output([CMAKE, "--install", BUILD, "--component", "site", "--prefix", first])
        cls.prefix = pathlib.Path(cls.place.name) / "moved"
        first.rename(cls.prefix)
        (cls.prefix / "bin").mkdir()
        (cls.prefix / "bin/halocline").symlink_to(PROGRAM)
        cls.version = said("--version").split()[0]

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def test_all_is_where_it_is_looked_for(self):
        for name in ("doc/halocline/LICENSE", "doc/halocline/CHANGELOG.md", "doc/halocline/CITATION.cff", "man/man1/halocline.1",
                     "man/man5/halocline-deck.5", "bash-completion/completions/halocline", "zsh/site-functions/_halocline",
                     "fish/vendor_completions.d/halocline.fish", f"modulefiles/halocline/{self.version}",
                     f"modulefiles/halocline/{self.version}.lua"):
            with self.subTest(name):
                self.assertGreater((self.prefix / "share" / name).stat().st_size, 0)
        self.assertEqual((self.prefix / "share/man/man1/halocline.1").read_text(), said("list", "--man"))

    @unittest.skipUnless(LMOD.exists(), "Lmod is not installed")
    def test_lmod(self):
        script = (f"source {LMOD}\nmodule use {self.prefix}/share/modulefiles\nmodule load halocline\n"
                  'echo "$PATH|$CMAKE_PREFIX_PATH|$MANPATH"\nmodule unload halocline\necho "$PATH|$CMAKE_PREFIX_PATH"')
        environment = {name: value for name, value in os.environ.items() if name not in ("MANPATH", "CMAKE_PREFIX_PATH", "BASH_ENV")}
        loaded, unloaded = output(["bash", "--norc", "-c", script], env=environment).splitlines()
        path, packages, manuals = loaded.split("|")
        self.assertEqual(path.split(":")[0], f"{self.prefix}/bin")
        self.assertEqual(packages, str(self.prefix))
        self.assertRegex(manuals, f"^{self.prefix}/share/man:")
        self.assertNotIn(str(self.prefix), unloaded)

    @needs("tclsh")
    def test_environment_modules(self):
        # Replacements of modulecmd's commands, which print their arguments.
        script = ('foreach name {prepend-path append-path module-whatis conflict} '
                  '{ proc $name {args} "puts \\"$name \\$args\\"" }\nset ModulesCurrentModulefile $argv\nsource $argv\nModulesHelp\n')
        file = self.prefix / "share/modulefiles/halocline" / self.version
        with tempfile.NamedTemporaryFile("w", suffix=".tcl") as stand_in:
            stand_in.write(script)
            stand_in.flush()
            told = output(["tclsh", stand_in.name, file])
            self.assertIn(f"prepend-path PATH {self.prefix}/bin\n", told)
            self.assertIn(f"prepend-path CMAKE_PREFIX_PATH {self.prefix}\n", told)
            self.assertIn("conflict halocline\n", told)
            # A copy elsewhere refers to the original place of the installation.
            copy = pathlib.Path(self.place.name) / "copy"
            shutil.copy(file, copy)
            self.assertIn(f"prepend-path PATH {self.place.name}/first/bin\n", output(["tclsh", stand_in.name, copy]))


class Spack(unittest.TestCase):
    def test_the_recipe_knows_all_options_of_cmake(self):
        recipe = next((ROOT / "packaging/spack").rglob("package.py")).read_text()
        options = (ROOT / "cmake/HaloclineOptions.cmake").read_text()
        declared = set(re.findall(r"^(?:set|option|  find_program)\((HALOCLINE_\w+)", options, re.MULTILINE))
        self.assertGreater(len(declared), 7)
        self.assertLessEqual(declared, {*re.findall(r'"(HALOCLINE_\w+)"', recipe)})
        compile(recipe, "package.py", "exec")


if __name__ == "__main__":
    unittest.main()
