"""What training says while it runs: progress on standard error where it is asked for, warnings as warnings."""

import sys
import time

_WARNING = 1


class DpsvmWarning(UserWarning):
    """What `dpsvm train` would warn of."""


class Watch:
    """verbose 0: nothing is printed; 1: notes, and progress once a second; 2: all of it. Warnings are kept."""

    def __init__(self, verbose):
        self.verbose = int(verbose)
        self.warnings = []
        self._last = time.monotonic()

    def message(self, level, text):
        if level == _WARNING:
            self.warnings.append(text)
        elif self.verbose > 0:
            print(text, file=sys.stderr)

    def progress(self, stage, fraction, iteration, objective, gap, target):
        now = time.monotonic()
        if self.verbose <= 0 or (self.verbose == 1 and now < self._last + 1):
            return
        self._last = now
        said = [stage]
        if fraction >= 0:
            said.append(f"{100 * fraction:.0f} %")
        if iteration >= 0:
            said.append(f"step {iteration}")
        if objective == objective:
            said.append(f"objective {objective:.6g}")
        if gap == gap:
            said.append(f"gap {gap:.2e}" + (f" of {target:.2e}" if target == target else ""))
        print("dpsvm: " + ", ".join(said), file=sys.stderr)
