"""The version stands once, in CMakeLists.txt of the tree."""

import pathlib
import re

from setuptools import setup

tree = pathlib.Path(__file__).resolve().parents[2]
setup(version=re.search(r"project\(dpsvm VERSION ([\d.]+)", (tree / "CMakeLists.txt").read_text())[1])
