// SPDX-License-Identifier: MIT

package import TaplineFormats
internal import TaplineModel
package import TaplinePlugin

/// Writes requests as commands of GNU Wget 1.15 or later.
package struct WgetWriter: ExportWriter {
    private let shell: ShellDialect
    private var count = 0

    /// Creates a writer of commands for a shell.
    package init(shell: ShellDialect = .bash) { self.shell = shell }

    package mutating func write(_ record: Record, to output: inout [UInt8]) -> LossReport {
        var losses = LossReport()
        guard let request = OutgoingRequest(record.exchange.request, &losses) else { return losses }
        guard request.method != "HEAD" || request.body.isEmpty else {
            losses.count("request (HEAD with a body)")
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
        // Redirections are exchanges of their own, and repetitions would be further requests.
        var command = ShellCommand(
            "wget --quiet --output-document=- --content-on-error --max-redirect=0 --tries=1 "
                + "--no-hsts --no-netrc",
            for: shell
        )
        if request.method == "HEAD" {
            command.add("--spider")
        } else if request.method != "GET" || request.hasContent {
            command.add("--method=\(shell.quoted(request.method))")
        }
        for field in request.joinedFields(&losses) {
            let line = Array("\(field.name): ".utf8) + field.value
            if let word = shell.quoted(line) {
                command.add("--header=\(word)")
            } else {
                losses.count("request.headers (not UTF-8)")
            }
        }
        if !request.contains("User-Agent") { command.add("--user-agent=''") }
        var around = ("", "")
        if request.hasContent { around = addBody(request, &command, &losses) }
        let (url, isChanged) = request.url()
        // Wget also decides itself how to write an encoded tilde.
        if isChanged { losses.count("request.target") }
        command.add(shell.quoted(url))
        return around.0 + command.text + around.1
    }

    /// Adds the content; returns what has to precede and to follow the command.
    private func addBody(
        _ request: OutgoingRequest,
        _ command: inout ShellCommand,
        _ losses: inout LossReport
    ) -> (String, String) {
        if !request.contains("Content-Type") { losses.count("request.headers (added type)") }
        switch ShellBody(request.body, for: shell) {
        case .argument(let word):
            command.add("--body-data=\(word)")
            return ("", "")
        // Wget needs the size before it reads, so this cannot be a pipe.
        case .printed(let source):
            command.add("--body-file=\"$body\"")
            return switch shell {
            case .bash: ("body=$(mktemp) && \(source) > \"$body\" &&\n", "\nrm -f \"$body\"")
            case .fish: ("set body (mktemp); and \(source) > $body; and ", "\nrm -f $body")
            case .powershell:
                (
                    "$body = New-TemporaryFile; [IO.File]::WriteAllBytes($body, \(source))\n",
                    "\nRemove-Item $body"
                )
            }
        }
    }
}
