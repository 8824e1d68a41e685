# SPDX-License-Identifier: MIT
"""Runs HTTPie once for each list of arguments in a folder.

    httpie_calls FOLDER     reads NAME.args (ended by NUL each) and, if present, NAME.args.stdin
"""
import io
import pathlib
import sys

from httpie.context import Environment
from httpie.core import main
from httpie.plugins.registry import plugin_manager

folder = pathlib.Path(sys.argv[1])
# No process that looks for updates, and no search for plugins in each call.
(folder / "config").mkdir()
(folder / "config" / "config.json").write_text('{"disable_update_warnings": true}')
plugin_manager.load_installed_plugins = lambda *arguments: None
for path in sorted(folder.glob("*.args")):
    words = [word.decode("utf-8", "surrogateescape") for word in path.read_bytes().split(b"\0")[:-1]]
    stdin = path.with_name(path.name + ".stdin")
    content = io.TextIOWrapper(io.BytesIO(stdin.read_bytes() if stdin.exists() else b""))
    environment = Environment(stdin=content, stdin_isatty=not stdin.exists(), config_dir=folder / "config",
                              stdout=io.TextIOWrapper(io.BytesIO()), stdout_isatty=False)
    try:
        status = main(["http", *words], env=environment)
        if status:
            print(words, status)
    except (Exception, SystemExit) as error:
        print(words, repr(error))
