# SPDX-License-Identifier: MIT
"""Every noun of a class name in src/optim is a term of docs/glossary.md or standard vocabulary listed there."""
import glob
import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TYPE = re.compile(r"^\s*(?:class|struct|enum class|enum)\s+(?:\[\[\w+\]\]\s+)?([A-Z]\w*)", re.M)


def singular(word):
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def words_of(name):
    """LocalSearch -> local, search; EiMaximizer -> ei, maximizer; GPModel -> gp, model."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|\d+", name)]


def parts(terms):
    return {singular(word) for term in terms for word in re.findall(r"[a-z0-9]+", term.lower())}


def vocabulary(text):
    """The words of the terms that are defined, and the standard ones."""
    defined, standard = text.split("## Standard vocabulary")
    return parts(re.findall(r"^- \*\*([^*]+)\*\*:", defined, re.M)), parts(standard.split("\n\n", 2)[2].split(","))


def unknown(source, known):
    """(type, word) of every word of a class name that the vocabulary lacks."""
    return [(name, word) for name in TYPE.findall(source) for word in words_of(name)
            if singular(word) not in known]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Glossary(unittest.TestCase):
    def setUp(self):
        self.text = read(f"{ROOT}/docs/glossary.md")

    def test_class_names_of_methods_use_its_words(self):
        files = [path for kind in ("hpp", "cpp") for path in
                 glob.glob(f"{ROOT}/src/optim/**/*.{kind}", recursive=True)]
        self.assertGreater(len(files), 50)
        defined, standard = vocabulary(self.text)
        found = {pair for path in files for pair in unknown(read(path), defined | standard)}
        self.assertEqual(sorted(found), [], "define the word in docs/glossary.md or choose a term of the field")
        used = {singular(word) for path in files for _, word in unknown(read(path), defined)}
        self.assertEqual(sorted(standard - used), [], "standard vocabulary of docs/glossary.md that no class name uses")

    def test_a_word_of_our_own_is_found(self):
        self.assertEqual(unknown("class ChampionLeap final {\nenum class Source {", {"source"}),
                         [("ChampionLeap", "champion"), ("ChampionLeap", "leap")])

    def test_definitions_have_at_most_two_sentences(self):
        for term, definition in re.findall(r"^- \*\*([^*]+)\*\*: (.*)$", self.text, re.M):
            with self.subTest(term):
                self.assertLessEqual(len(re.findall(r"\.(?=\s|$)", definition)), 2)


if __name__ == "__main__":
    unittest.main()
