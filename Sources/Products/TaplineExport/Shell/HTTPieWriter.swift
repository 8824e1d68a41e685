// SPDX-License-Identifier: MIT

package import TaplineFormats
internal import TaplineModel
package import TaplinePlugin

/// Writes requests as commands of HTTPie 3 (`http`).
package struct HTTPieWriter: ExportWriter {
    private let shell: ShellDialect
    private var count = 0

    /// Creates a writer of commands for a shell.
    package init(shell: ShellDialect = .bash) { self.shell = shell }

    package mutating func write(_ record: Record, to output: inout [UInt8]) -> LossReport {
        var losses = LossReport()
        guard let request = OutgoingRequest(record.exchange.request, &losses) else { return losses }
        // HTTPie reads any other word as the URL.
        guard request.method.utf8.allSatisfy(\.isLetter) else {
            losses.count("request (method)")
            return losses
        }
        losses.countMessages(of: record)
        if request.method != request.method.uppercased() { losses.count("request.method") }
        count += 1
        if count > 1 { output.line("") }
        output.line(ShellCommand.comment(request, count))
        output.line(command(request, &losses))
        return losses
    }

    private func command(_ request: OutgoingRequest, _ losses: inout LossReport) -> String {
        var source = ""
        var start = "http --ignore-netrc"
        var content: String?
        switch ShellBody(request.body, for: shell) {
        case _ where request.body.isEmpty: start += " --ignore-stdin"
        case .argument(let word):
            start += " --ignore-stdin"
            content = "--raw=\(word)"
        case .printed(let bytes) where shell == .powershell:
            source = "$body = New-TemporaryFile; [IO.File]::WriteAllBytes($body, \(bytes)); "
            start += " --ignore-stdin"
            // A field before it states the type, which HTTPie would take from the file's name.
            content = "\"@$body\""
        case .printed(let bytes): source = "\(bytes) | "
        }
        var command = ShellCommand(start, for: shell)
        if let content { command.add(content) }
        if TargetText.hasDotSegments(request.target) { command.add("--path-as-is") }
        command.add("\(request.method) \(shell.quoted(PythonTarget.url(of: request, &losses)))")
        for field in request.fields { add(field, &command, &losses) }
        var own = ["User-Agent", "Accept", "Accept-Encoding"]
        if !request.body.isEmpty { own.append("Content-Type") }
        for name in own where !request.contains(name) { command.add("\(name):") }
        let end = !source.isEmpty && shell == .powershell ? "\nRemove-Item $body" : ""
        return source + command.text + end
    }

    private func add(
        _ field: OutgoingRequest.Field,
        _ command: inout ShellCommand,
        _ losses: inout LossReport
    ) {
        guard let text = field.text else {
            losses.count("request.headers (not UTF-8)")
            return
        }
        guard !field.name.hasPrefix("-") else {
            losses.count("request.headers (malformed)")
            return
        }
        // A backslash before a separator is an escape, and cannot be escaped itself.
        if zip(text, text.dropFirst()).contains(where: { $0 == "\\" && ":;=@".contains($1) }) {
            losses.count("request.headers (backslash)")
        }
        let value = text.drop { $0 == " " || $0 == "\t" }
        if value.isEmpty {
            command.add(shell.quoted("\(field.name);"))
        } else {
            // ':=' and ':@' have other meanings.
            let gap = value.hasPrefix("=") || value.hasPrefix("@") ? " " : ""
            command.add(shell.quoted("\(field.name):\(gap)\(value)"))
        }
    }
}

/// URLs as programs based on Python's urllib3 send them.
enum PythonTarget {
    /// The URL of a request; counts a target that will be sent differently.
    static func url(of request: OutgoingRequest, _ losses: inout LossReport) -> String {
        let (url, isChanged) = request.url(encoding: "[]")
        // urllib3 writes percent-encoding in upper case, and requests removes repeated slashes.
        let isRewritten =
            TargetText.hasLowerCaseEncoding(request.target)
            || TargetText.hasEmptyQuery(request.target)
            || request.target.starts(with: "//".utf8)
        if isChanged || isRewritten { losses.count("request.target") }
        return url
    }
}
