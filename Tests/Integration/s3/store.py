# SPDX-License-Identifier: MIT
"""Stores recordings in a store that fails now and then, and compares what arrives.   store.py TAPLINE"""

import base64
import gzip
import io
import json
import logging
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

import boto3
import botocore.config
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

TAPLINE = sys.argv[1]
KEY = "ä +&'/"
KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "s3cr3t"}


def require(condition, text):
    if not condition:
        sys.exit(f"s3: {text}")


class Store:
    """moto, with faults: `fails` and `hangs` are the part numbers that get 503 or no answer, `poison` a text whose
    objects get 400.

    moto does not check signatures: those of the sink are compared with botocore's.
    """

    def __init__(self):
        self.application = DomainDispatcherApplication(create_backend_app)
        self.parts, self.fails, self.hangs, self.poison = [], set(), set(), None
        self.signer = S3SigV4Auth(Credentials("testing", "s3cr3t"), "s3", "us-east-1")
        self.signed, self.unsigned = 0, []
        self.server = make_server("127.0.0.1", 0, self.serve, threaded=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.client = boto3.client(
            "s3", endpoint_url=self.url, region_name="us-east-1", aws_access_key_id="testing",
            aws_secret_access_key="s3cr3t", config=botocore.config.Config(s3={"addressing_style": "path"}))
        self.client.create_bucket(Bucket="traffic")

    def check_signature(self, environment):
        fields = {"Host": environment["HTTP_HOST"]}
        for name in ("X-Amz-Date", "X-Amz-Content-Sha256"):
            fields[name] = environment["HTTP_" + name.upper().replace("-", "_")]
        url = f"http://{environment['HTTP_HOST']}{environment['REQUEST_URI']}"
        request = AWSRequest(environment["REQUEST_METHOD"], url, fields)
        request.context["timestamp"] = fields["X-Amz-Date"]
        text = self.signer.string_to_sign(request, self.signer.canonical_request(request))
        right = environment["HTTP_AUTHORIZATION"].endswith(f"Signature={self.signer.signature(text, request)}")
        self.signed += right
        if not right:
            self.unsigned.append(environment["REQUEST_URI"])

    def serve(self, environment, start):
        if environment.get("HTTP_USER_AGENT") == "tapline":
            self.check_signature(environment)
        if self.poison and environment["REQUEST_METHOD"] == "PUT":
            body = environment["wsgi.input"].read(int(environment["CONTENT_LENGTH"]))
            if self.poison in body:
                start("400 Bad Request", [("Content-Length", "0")])
                return [b""]
            environment["wsgi.input"] = io.BytesIO(body)
        part = re.search(r"partNumber=(\d+)", environment.get("QUERY_STRING", ""))
        if part and environment["REQUEST_METHOD"] == "PUT":
            number = int(part[1])
            if number in self.hangs:
                self.hangs.discard(number)
                time.sleep(3)
            if number in self.fails:
                environment["wsgi.input"].read(int(environment["CONTENT_LENGTH"]))
                start("503 Slow Down", [("Retry-After", "1"), ("Content-Length", "0")])
                return [b""]
            self.parts.append(number)
        return self.application(environment, start)

    def records(self, prefix):
        """The ids in the objects, in the order of their keys."""
        ids = []
        for entry in self.client.list_objects_v2(Bucket="traffic", Prefix=prefix).get("Contents", []):
            body = self.client.get_object(Bucket="traffic", Key=entry["Key"])["Body"].read()
            require(re.fullmatch(re.escape(prefix) + r"\d{4}/\d\d/\d\d/\d{8}T\d{6}Z-[0-9a-f-]{36}-[0-9a-f]{1,16}-\d+\.ndjson(\.gz)?", entry["Key"]),
                    f"the key {entry['Key']}")
            if entry["Key"].endswith(".gz"):
                body = gzip.decompress(body)
            ids += [json.loads(line)["id"] for line in body.decode().splitlines()]
        return ids

    def uploads(self):
        return self.client.list_multipart_uploads(Bucket="traffic").get("Uploads", [])


def recording(path, count, size):
    """Writes exchanges with bodies that do not shrink; returns their ids."""
    ids = []
    with open(path, "w") as file:
        for number in range(count):
            ids.append(f"01939000-0000-7000-8000-{number:012x}")
            body = base64.b64encode(os.urandom(size)).decode()
            file.write(json.dumps({
                "v": 1, "id": ids[-1], "source": "s", "state": "completed",
                "started": "2026-11-20T14:03:00.000000Z",
                "request": {"method": "GET", "url": f"http://shop.test/{number}", "headers": []},
                "response": {"status": 200, "headers": [], "body": {"text": body, "size": len(body)}}}) + "\n")
    return ids


def run(folder, store, prefix, options="", wait=True):
    pipeline = folder / f"{prefix.strip('/')}.yaml"
    pipeline.write_text(f"""version: 1
sources: [{{ replay: {{ path: recording.ndjson }} }}]
sinks:
  - s3: {{ bucket: traffic, endpoint: "{store.url}", folder: {prefix}spool, prefix: "{KEY}{prefix}" {options} }}
""")
    process = subprocess.Popen([TAPLINE, "run", pipeline], env=os.environ | KEYS,
                               stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    if not wait:
        return process
    log = process.communicate(timeout=60)[1]
    require("s3cr3t" not in log, "a key is in the log")
    return process.returncode, log


def refused(folder, store):
    """A file that the store refuses again and again, while it stores others, is set aside and can be read."""
    ids = recording(folder / "recording.ndjson", 40, 2000)
    lines = (folder / "recording.ndjson").read_text().splitlines(keepends=True)
    lines[0] = lines[0].replace("http://shop.test/0", "http://shop.test/poison")
    (folder / "recording.ndjson").unlink()
    os.mkfifo(folder / "recording.ndjson")
    store.poison = b"http://shop.test/poison"
    process = run(folder, store, "refused/", ", compress: none, size: 1KiB", wait=False)
    aside = folder / "refused/spool/refused"
    with open(folder / "recording.ndjson", "w", encoding="ascii") as fifo:
        # Each record ends a file, and the end of a file begins a try.
        for line in lines:
            fifo.write(line)
            fifo.flush()
            time.sleep(0.2)
    log = process.communicate(timeout=60)[1]
    store.poison = None
    require(process.returncode == 1 and "was refused 5 times" in log, f"exit {process.returncode}:\n{log}")
    require(store.records(KEY + "refused/") == ids[1:], "the files that were not refused")
    found = subprocess.run([TAPLINE, "query", "--format", "ids", *aside.iterdir()], capture_output=True, text=True,
                           timeout=30, check=False)
    require(found.stdout.split() == ids[:1], f"the refused record is not in {aside}: {found.stdout}{found.stderr}")


def left(folder, prefix):
    return sorted(name for name in os.listdir(folder / prefix / "spool") if name != "lock")


def main():
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    store = Store()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for prefix in ("small", "parts", "killed", "refused"):
            (folder / prefix).mkdir()

        ids = recording(folder / "recording.ndjson", 200, 100)
        code, log = run(folder, store, "small/")
        require(code == 0, f"exit {code}:\n{log}")
        require(store.records(KEY + "small/") == ids and left(folder, "small") == [], "small files")

        # 18 MB in parts of 5 MiB; the third one fails, and the next run sends only what is missing.
        ids = recording(folder / "recording.ndjson", 18, 750_000)
        store.fails = {3}
        code, log = run(folder, store, "parts/", ", compress: none, part_size: 5MiB")
        require(code == 1 and "503" in log and "which the next run uploads" in log, f"exit {code}:\n{log}")
        require(store.parts == [1, 2] and len(store.uploads()) == 1, f"parts {store.parts}")
        (folder / "recording.ndjson").write_text("")
        store.fails = set()
        code, log = run(folder, store, "parts/", ", compress: none, part_size: 5MiB")
        require(code == 0 and store.parts == [1, 2, 3, 4], f"exit {code}, parts {store.parts}:\n{log}")
        require(store.records(KEY + "parts/") == ids and left(folder, "parts") == [], "parts")
        require(not store.uploads(), "an upload is left")

        # Killed while a part is on its way.
        ids = recording(folder / "recording.ndjson", 18, 750_000)
        store.parts, store.hangs = [], {2}
        process = run(folder, store, "killed/", ", compress: none, part_size: 5MiB", wait=False)
        end = time.monotonic() + 30
        while store.hangs and time.monotonic() < end:
            time.sleep(0.01)
        process.kill()
        process.communicate()
        require(not store.hangs and len(left(folder, "killed")) == 2, "it was not killed in time")
        (folder / "recording.ndjson").write_text("")
        code, log = run(folder, store, "killed/", ", compress: none, part_size: 5MiB")
        require(code == 0 and store.parts.count(1) == 1, f"exit {code}, parts {store.parts}:\n{log}")
        require(store.records(KEY + "killed/") == ids and left(folder, "killed") == [], "after kill -9")

        refused(folder, store)
    require(store.signed > 10 and not store.unsigned, f"wrong signatures: {store.unsigned}")
    print(f"s3: all checks passed, {store.signed} signatures")


main()
