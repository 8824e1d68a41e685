// SPDX-License-Identifier: MIT

package import TaplineFormats
internal import TaplineModel
package import TaplinePlugin

/// Writes requests as `curl` commands (curl(1), 7.55 or later).
package struct CurlWriter: ExportWriter {
    private let shell: ShellDialect
    private var count = 0

    /// Creates a writer of commands for a shell.
    package init(shell: ShellDialect = .bash) { self.shell = shell }

    package mutating func write(_ record: Record, to output: inout [UInt8]) -> LossReport {
        var losses = LossReport()
        guard let request = OutgoingRequest(record.exchange.request, &losses) else { return losses }
        losses.countMessages(of: record)
        count += 1
        if count > 1 { output.line("") }
        output.line(ShellCommand.comment(request, count))
        output.line(command(request, &losses))
        return losses
    }

    private func command(_ request: OutgoingRequest, _ losses: inout LossReport) -> String {
        var command = ShellCommand("curl", for: shell)
        let isHead = request.method == "HEAD"
        if request.method == "GET" && !request.hasContent || request.method == "POST" {
            // The method that curl uses anyway.
        } else if isHead, !request.hasContent {
            command.add("--head")
        } else {
            command.add("--request", request.method)
            // Otherwise curl waits for the body that the length announces.
            if isHead { command.add("--include --ignore-content-length") }
        }
        addFields(request, &command, &losses)
        let source = request.hasContent ? addBody(request.body, &command) : nil
        addURL(request, &command, &losses)
        let end = source != nil && shell == .powershell ? "\nRemove-Item $body" : ""
        return (source ?? "") + command.text + end
    }

    private func addFields(
        _ request: OutgoingRequest,
        _ command: inout ShellCommand,
        _ losses: inout LossReport
    ) {
        for field in request.fields {
            let isBlank = field.value.allSatisfy(\.isBlank)
            // A semicolon sends an empty value; a colon alone would remove the field.
            let line = isBlank ? "\(field.name);" : "\(field.name): "
            guard let word = shell.quoted(Array(line.utf8) + (isBlank ? [] : field.value)) else {
                losses.count("request.headers (not UTF-8)")
                continue
            }
            command.add("--header \(word)")
        }
        var own = ["User-Agent", "Accept"]
        if request.hasContent { own.append("Content-Type") }
        // curl announces large content with this field.
        if request.body.count > 1 << 20 { own.append("Expect") }
        for name in own where !request.contains(name) { command.add("--header", "\(name):") }
        if request.contains("Accept-Encoding") { command.add("--compressed") }
    }

    /// Adds the content; returns what has to precede the command.
    private func addBody(_ body: [UInt8], _ command: inout ShellCommand) -> String? {
        switch ShellBody(body, for: shell) {
        case .argument(let word):
            // '--data' would treat a text that begins with '@' as a file name.
            command.add("--data-raw \(word)")
            return nil
        case .printed(let source) where shell == .powershell:
            command.add("--data-binary \"@$body\"")
            return "$body = New-TemporaryFile; [IO.File]::WriteAllBytes($body, \(source)); "
        case .printed(let source):
            command.add("--data-binary @-")
            return "\(source) | "
        }
    }

    private func addURL(
        _ request: OutgoingRequest,
        _ command: inout ShellCommand,
        _ losses: inout LossReport
    ) {
        let (url, isChanged) = request.url()
        if url.contains(where: { "[]{}".contains($0) }) { command.add("--globoff") }
        guard isChanged else {
            command.add(shell.quoted(url))
            return
        }
        // curl sends this unchanged, but cannot send white space.
        let isSendable = request.target.allSatisfy { $0 > 0x20 && $0 != 0x7F }
        if isSendable, let word = shell.quoted(request.target) {
            command.add("--request-target \(word)")
            command.add(shell.quoted("\(request.scheme)://\(request.authority)/"))
        } else {
            losses.count("request.target")
            command.add("--path-as-is")
            command.add(shell.quoted(url))
        }
    }
}

extension LossReport {
    /// Counts messages of a WebSocket, which no request can carry.
    mutating func countMessages(of record: Record) {
        if record.exchange.messages.contains(where: { !$0.isEvent }) { count("messages") }
    }
}
