"""How many checks of the hand-made fault classes pass, and which do not.

    .venv/bin/python -m research.fault_classes [CLASS …] [-v]

Prints a line a class, and the cases and checks that fail, for their `fails`; `-v` says what is wrong.
"""

import argparse
import os
from collections import Counter

import django


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("classes", nargs="*", help="only these")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from tests.pipeline.backends.compact.fault_classes.cases import CLASSES, all_cases, faults

    passed, total, failed = Counter[tuple[str, str]](), Counter[tuple[str, str]](), []
    for case in all_cases():
        name = case.id.partition("/")[0]
        if options.classes and name not in options.classes:
            continue
        for check, fault_of in faults(case).items():
            total[name, check] += 1
            if fault := fault_of():
                failed.append(f"{case.id}-{check}")
                if options.verbose:
                    print(f"{failed[-1]}\n  {fault.replace(chr(10), chr(10) + '  ')}")
            else:
                passed[name, check] += 1
    for name in CLASSES:
        shares = [f"{key[1]} {passed[key]}/{total[key]}" for key in total if key[0] == name]
        if shares:
            print(f"{name:20}{'   '.join(shares)}")
    print("\n".join(failed))


if __name__ == "__main__":
    main()
