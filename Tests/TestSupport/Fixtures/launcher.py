# SPDX-License-Identifier: MIT
"""Runs the Python program of a test, and ends with the process that started it.

    launcher.py PROGRAM [ARGUMENT...]
"""
import os
import runpy
import sys
import threading
import time


def follow(parent):
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


threading.Thread(target=follow, args=(os.getppid(),), daemon=True).start()
sys.argv = sys.argv[1:]
sys.path[0] = os.path.dirname(sys.argv[0])
runpy.run_path(sys.argv[0], run_name="__main__")
