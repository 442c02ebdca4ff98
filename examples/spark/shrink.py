"""Shrinks the pictures of records on a Spark cluster.

    spark-submit --master spark://HOST:7077 shrink.py RECORDS OUT PICTURES

RECORDS is a text file with one record per line, OUT the folder of the output records, PICTURES the folder of the small
pictures. All machines must share these three (a mount), and must have the tools in the PATH of the submitting program.
The output has the order of the input.
"""

import os
import pathlib
import shlex
import sys

from pyspark import SparkContext

PARTITION_COUNT = 16


def main():
    if len(sys.argv) != 4:
        print(__doc__.strip(), file=sys.stderr)
        return 64
    records, out, pictures = sys.argv[1:]
    context = SparkContext(appName="shrink")
    # Spark copies the file into the working folder of each worker's executor.
    context.addFile(str(pathlib.Path(__file__).resolve().parent / "shrink"))
    # The command gets only these variables. A relative APOD_TOOLS_CACHE_DIR is relative to the executor's folder.
    environment = {
        name: value for name, value in os.environ.items() if name == "PATH" or name.startswith("APOD_TOOLS_")
    }
    # Without checkCode, a partition whose command was killed would lose records without any error.
    context.textFile(records, PARTITION_COUNT).pipe(
        f"bash shrink {shlex.quote(pictures)}", env=environment, checkCode=True
    ).saveAsTextFile(out)
    context.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
