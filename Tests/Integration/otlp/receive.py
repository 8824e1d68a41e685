# SPDX-License-Identifier: MIT
"""Runs Examples/telemetry against a receiver that parses OTLP.   receive.py TAPLINE ROOT"""

import gzip
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest, ExportLogsServiceResponse)
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest, ExportMetricsServiceResponse)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest, ExportTraceServiceResponse)

TAPLINE, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
SIGNALS = {
    "/v1/traces": (ExportTraceServiceRequest, ExportTraceServiceResponse),
    "/v1/logs": (ExportLogsServiceRequest, ExportLogsServiceResponse),
    "/v1/metrics": (ExportMetricsServiceRequest, ExportMetricsServiceResponse),
}


def require(condition, text):
    if not condition:
        sys.exit(f"otlp: {text}")


class Receiver(http.server.ThreadingHTTPServer):
    """Parses requests; refuses the first one of each path with 503."""

    def __init__(self, refuses):
        super().__init__(("127.0.0.1", 0), Handler)
        self.refuses, self.lock = refuses, threading.Lock()
        self.messages = {path: [] for path in SIGNALS}
        self.lines, self.bodies, self.problems, self.seen = [], [], [], set()
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_port}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers["Content-Encoding"] == "gzip":
            body = gzip.decompress(body)
        with self.server.lock:
            try:
                status, answer = self.take(body)
            except Exception as error:  # reported by the test
                self.server.problems.append(f"{self.path}: {error!r}")
                status, answer = 400, b""
        self.send_response(status)
        if status == 503:
            self.send_header("Retry-After", "1")
        self.send_header("Content-Type", self.headers["Content-Type"])
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def take(self, body):
        server = self.server
        server.bodies.append(body)
        if server.refuses and self.path not in server.seen:
            server.seen.add(self.path)
            return 503, b""
        if self.path not in SIGNALS:
            require(self.headers["Authorization"] == "Bearer t0ken", "the field is missing")
            server.lines += body.decode().splitlines()
            return 204, b""
        request, response = (kind() for kind in SIGNALS[self.path])
        if self.headers["Content-Type"] == "application/json":
            json_format.Parse(body, request)  # strict: unknown names are errors
            server.messages[self.path].append(json.loads(body))
            return 200, json_format.MessageToJson(response).encode()
        require(request.ParseFromString(body) == len(body), "bytes are left")
        server.messages[self.path].append(request)
        return 200, response.SerializeToString()


def run(receiver, out, encoding):
    """Runs the example with a file beside its sinks; returns the records of the file."""
    text = (ROOT / "Examples/telemetry/pipeline.yaml").read_text()
    text = text.replace("../recordings", str(ROOT / "Examples/recordings"))
    text = text.replace("      service:", f"      encoding: {encoding}\n      service:")
    text = text.replace("sinks:\n", f"sinks:\n  - ndjson: {{ path: '{out}/all.ndjson' }}\n")
    pipeline = out / "pipeline.yaml"
    pipeline.write_text(text)
    environment = os.environ | {
        "OTLP_URL": receiver.url, "LOGS_URL": f"{receiver.url}/ingest", "LOGS_TOKEN": "t0ken"}
    done = subprocess.run([TAPLINE, "run", pipeline], env=environment, capture_output=True,
                          text=True, timeout=60)
    require(done.returncode == 0, f"exit {done.returncode}:\n{done.stderr}")
    require("t0ken" not in done.stderr, "a field is in the log")
    require(not receiver.problems, "\n".join(receiver.problems))
    return [json.loads(line) for line in (out / "all.ndjson").read_text().splitlines()]


def values(attributes):
    return {item.key: getattr(item.value, item.value.WhichOneof("value")) for item in attributes}


def check_spans(receiver, records):
    """Compares the spans with the records of the file, by the id of the exchange."""
    groups = [group for message in receiver.messages["/v1/traces"] for group in message.resource_spans]
    require(all(values(group.resource.attributes)["service.name"] == "shop" for group in groups),
            "the resource is wrong")
    spans = [span for group in groups for scope in group.scope_spans for span in scope.spans]
    by_id = {values(span.attributes)["tapline.exchange.id"]: span for span in spans}
    require(len(spans) == len(by_id) == len(records), f"{len(spans)} spans of {len(records)} records")
    for record in records:
        span, request = by_id[record["id"]], record["request"]
        have = values(span.attributes)
        require(have["url.full"] == request["url"], f"{have['url.full']} is not {request['url']}")
        require(have["http.request.method"] == request["method"] == span.name, "the method")
        require(have.get("http.response.status_code") == record.get("response", {}).get("status"), "the status")
        require(span.end_time_unix_nano >= span.start_time_unix_nano > 10**18, "the times")
        require(len(span.trace_id) == 16 and len(span.span_id) == 8, "the ids")
        fields = {name.lower(): value for name, value in request["headers"]}
        if "traceparent" in fields:
            _, trace, parent, _ = fields["traceparent"].split("-")
            require((span.trace_id.hex(), span.parent_span_id.hex()) == (trace, parent), "the trace")
        failed = have.get("http.response.status_code", 0) >= 400 or record["state"] != "completed"
        require((span.status.code == span.status.STATUS_CODE_ERROR) == failed, "the state")
    logs = [log for message in receiver.messages["/v1/logs"] for group in message.resource_logs
            for scope in group.scope_logs for log in scope.log_records]
    require({log.span_id for log in logs} == {span.span_id for span in spans}, "logs and spans differ")
    metrics = [metric for message in receiver.messages["/v1/metrics"] for group in message.resource_metrics
               for scope in group.scope_metrics for metric in scope.metrics]
    points = [point for metric in metrics for point in metric.histogram.data_points]
    timed = [record["timing"]["total_ms"] for record in records if "total_ms" in record.get("timing", {})]
    require({metric.name for metric in metrics} == {"http.client.request.duration"}, "the name of the metric")
    require(sum(point.count for point in points) == len(timed) > 0, "the number of durations")
    require(abs(sum(point.sum for point in points) * 1000 - sum(timed)) < 1, "the sum of durations")
    require(all(sum(point.bucket_counts) == point.count for point in points)
            and all(len(point.bucket_counts) == len(point.explicit_bounds) + 1 for point in points),
            "the buckets")
    return len(spans)


def check_json(receiver, records):
    spans = [span for message in receiver.messages["/v1/traces"] for group in message["resourceSpans"]
             for scope in group["scopeSpans"] for span in scope["spans"]]
    require(len(spans) == len(records), f"{len(spans)} spans in JSON of {len(records)} records")
    for span in spans:
        require(len(bytes.fromhex(span["traceId"])) == 16 and len(bytes.fromhex(span["spanId"])) == 8,
                "ids are not hexadecimal")
        require(isinstance(span["startTimeUnixNano"], str), "a number of 64 bits is no text")


def check_secrets(receiver):
    secrets = (ROOT / "Examples/shop/secrets.txt").read_bytes().split()
    found = [secret for secret in secrets for body in receiver.bodies if secret in body]
    require(receiver.bodies and not found, f"{len(found)} planted secrets were sent")


def main():
    count = 0
    for encoding, refuses in (("protobuf", True), ("json", False)):
        receiver = Receiver(refuses)
        with tempfile.TemporaryDirectory() as folder:
            records = run(receiver, pathlib.Path(folder), encoding)
        if encoding == "protobuf":
            count = check_spans(receiver, records)
        else:
            check_json(receiver, records)
        check_secrets(receiver)
        errors = [record["id"] for record in records if record.get("response", {}).get("status", 0) >= 400]
        require(errors and [json.loads(line)["id"] for line in receiver.lines] == errors,
                "the endpoint has other records than those with errors, or one twice")
        receiver.shutdown()
    print(f"otlp: all checks passed, {count} spans in each encoding")


main()
