// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineControl
internal import TaplineOperations
internal import TaplineSystem

/// `tapline top`: shows a running pipeline in the terminal.
enum TopCommand {
    static func run(_ invocation: Invocation) -> ExitCode {
        OperatingCommands.call(invocation) { arguments in
            let client = try arguments.client()
            guard invocation.console.outputIsTerminal, !invocation.has("once"),
                let keys = try? KeyInput()
            else {
                let lines = TopScreen(try snapshot(client), width: 200).lines
                invocation.console.print(lines.joined(separator: "\n"))
                return .success
            }
            // The other screen of the terminal, without a cursor (ECMA-48, xterm).
            invocation.console.write(Array("\u{1B}[?1049h\u{1B}[?25l".utf8))
            let restore = { @Sendable in
                keys.restore()
                invocation.console.write(Array("\u{1B}[?25h\u{1B}[?1049l".utf8))
            }
            let signals = Signals(beforeEnding: restore)
            defer {
                signals.end()
                restore()
            }
            return try show(client, keys, invocation)
        }
    }

    /// Draws until `q` is pressed, or until the pipeline has ended.
    private static func show(
        _ client: ControlClient,
        _ keys: KeyInput,
        _ invocation: Invocation
    ) throws -> ExitCode {
        var former: TopSnapshot?
        while true {
            let now = try snapshot(client)
            let screen = TopScreen(
                now,
                since: former,
                width: File.standardOutput.terminalWidth ?? 80,
                height: (File.standardOutput.terminalHeight ?? 24) - 1
            )
            // Each line is written over the former one, and what is below is erased.
            let text = screen.lines.map { "\($0)\u{1B}[K\r\n" }.joined()
            invocation.console.write(Array("\u{1B}[H\(text)\u{1B}[J".utf8))
            former = now
            if let key = try keys.key(waiting: 1000), key == UInt8(ascii: "q") { return .success }
        }
    }

    private static func snapshot(_ client: ControlClient) throws -> TopSnapshot {
        let answer = try client.call("GET", "/top")
        guard answer.status == 200, let top = TopSnapshot(answer.body) else {
            throw ControlError(OperatingCommands.message(of: answer))
        }
        return top
    }
}
