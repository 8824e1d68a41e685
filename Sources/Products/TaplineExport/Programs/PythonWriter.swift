// SPDX-License-Identifier: MIT

package import TaplineFormats
internal import TaplineModel
package import TaplinePlugin

/// Writes a Python program that sends the requests with `requests`.
package struct PythonWriter: ExportWriter {
    private var count = 0

    /// Creates a writer.
    package init() {}

    /// A prepared request gets no cookies of former responses, no user and password of `.netrc`,
    /// and no fields that `requests` would add.
    private static let head = """
        #!/usr/bin/env python3
        import requests
        from urllib3.util import SKIP_HEADER

        SESSION = requests.Session()
        SKIPPED = {"User-Agent": SKIP_HEADER, "Accept-Encoding": SKIP_HEADER}


        def send(method, url, headers, data=None):
            present = {name.lower() for name in headers}
            skipped = {n: v for n, v in SKIPPED.items() if n.lower() not in present}
            request = requests.Request(method, url, headers=headers | skipped, data=data).prepare()
            request.method, request.url = method, url
            settings = SESSION.merge_environment_settings(url, {}, None, None, None)
            response = SESSION.send(request, allow_redirects=False, timeout=60, **settings)
            print(method, url, response.status_code, len(response.content))
            return response

        """

    package mutating func start(to output: inout [UInt8]) -> LossReport {
        output.line(Self.head)
        return LossReport()
    }

    package mutating func write(_ record: Record, to output: inout [UInt8]) -> LossReport {
        var losses = LossReport()
        guard let request = OutgoingRequest(record.exchange.request, &losses) else { return losses }
        losses.countMessages(of: record)
        count += 1
        let url = PythonTarget.url(of: request, &losses)
        if TargetText.hasDotSegments(request.target) { losses.count("request.target") }
        output.line("\n\(ShellCommand.comment(request, count))")
        output.line("send(")
        output.line("    \(SourceLiteral.python(request.method)),")
        output.line("    \(SourceLiteral.python(url)),")
        output.line("    {")
        for field in request.joinedFields(&losses) {
            let name = SourceLiteral.python(field.name)
            // Text would be encoded as ISO 8859-1.
            let isASCII = field.value.allSatisfy { $0 < 0x80 }
            let value = field.value.trimmed
            let text = isASCII ? String(decoding: value, as: UTF8.self) : nil
            let literal =
                text.map { SourceLiteral.python($0) } ?? SourceLiteral.python(bytes: value)
            output.line("        \(name): \(literal),")
        }
        output.line("    },")
        if !request.body.isEmpty {
            output.line("    \(SourceLiteral.python(bytes: request.body)),")
        }
        output.line(")")
        return losses
    }
}

extension [UInt8] {
    /// The bytes without leading and trailing spaces and tabs.
    var trimmed: [UInt8] { Array(copying: span.extracting(span.trimmed(0..<count))) }
}
