"""Answers lines of "expression<TAB>zone<TAB>seconds" with "seconds offset", "none" or why not."""

import sys
import zoneinfo
from datetime import datetime
from importlib.metadata import version

from croniter import croniter, CroniterBadDateError


def answer(line):
    expression, zone, second = line.rstrip("\n").split("\t")
    start = datetime.fromtimestamp(int(second), zoneinfo.ZoneInfo(zone))
    result = croniter(expression, start, implement_cron_bug=True).get_next(datetime)
    return f"{round(result.timestamp())} {round(result.utcoffset().total_seconds())}"


print(version("croniter"), flush=True)
for line in sys.stdin:
    try:
        text = answer(line)
    except CroniterBadDateError:
        text = "none"
    except Exception as error:
        text = f"{type(error).__name__}: {error}".replace("\n", " ")
    print(text, flush=True)
