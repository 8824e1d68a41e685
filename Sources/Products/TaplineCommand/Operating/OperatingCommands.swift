// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineControl
internal import TaplineJSON
internal import TaplinePlugin

/// `tapline status`, `tapline reload` and `tapline drain`, which ask a running pipeline.
enum OperatingCommands {
    static func status(_ invocation: Invocation) -> ExitCode {
        call(invocation) { arguments in
            let client = try arguments.client()
            if invocation.has("why-blocked") {
                let answer = try client.call("GET", "/why-blocked", accepting: "text/plain")
                return try shown(answer, invocation)
            }
            if invocation.has("ready") {
                let answer = try client.call("GET", "/health/ready")
                invocation.console.print(String(decoding: answer.body, as: UTF8.self))
                return answer.status == 200 ? .success : .failure
            }
            guard invocation.value("format") != "json" else {
                return try shown(try client.call("GET", "/status"), invocation)
            }
            let answer = try client.call("GET", "/top")
            guard answer.status == 200, let top = TopSnapshot(answer.body) else {
                return try shown(answer, invocation)
            }
            let lines = TopScreen(top, width: invocation.console.outputWidth ?? 200).lines
            invocation.console.print(lines.joined(separator: "\n"))
            return .success
        }
    }

    static func reload(_ invocation: Invocation) -> ExitCode {
        call(invocation) { arguments in
            let client = try arguments.client(changes: true)
            // Everything new is opened before the answer comes.
            let answer = try client.call("POST", "/reload", seconds: 120)
            guard answer.status == 200 else { return try shown(answer, invocation) }
            invocation.console.print(String(decoding: answer.body, as: UTF8.self))
            return .success
        }
    }

    static func drain(_ invocation: Invocation) -> ExitCode {
        call(invocation) { arguments in
            let client = try arguments.client(changes: true)
            let answer = try client.call("POST", "/drain")
            guard answer.status == 202 else { return try shown(answer, invocation) }
            let text = "the pipeline drains, and ends when its sinks have written all"
            invocation.console.print(text)
            return .success
        }
    }

    /// Calls a listener; prints what is wrong.
    static func call(
        _ invocation: Invocation,
        _ body: (ControlArguments) throws -> ExitCode
    ) -> ExitCode {
        do {
            return try body(try ControlArguments(invocation))
        } catch let error as UsageError {
            return invocation.report(error)
        } catch {
            invocation.console.note("tapline: error: \(error)")
            if let help = (error as? ControlClientError)?.help {
                invocation.console.note("help: \(help)")
            }
            return .failure
        }
    }

    /// Prints an answer, or why there is none.
    private static func shown(
        _ answer: ControlClient.Answer,
        _ invocation: Invocation
    ) throws -> ExitCode {
        guard answer.status == 200 else {
            invocation.console.note("tapline: error: \(message(of: answer))")
            if answer.status == 401 {
                invocation.console.note(
                    "help: the log of the pipeline names the file of the token at the start; add "
                        + "'--token-file FILE', or run the command as the user of the pipeline"
                )
            }
            // A wrong configuration has the exit code that `tapline check` has.
            return answer.status == 422 ? .configuration : .failure
        }
        invocation.console.writeLines(answer.body)
        return .success
    }

    /// The message in an answer that is an error.
    static func message(of answer: ControlClient.Answer) -> String {
        var parser = JSONParser()
        if let document = try? parser.parse(answer.body.span) {
            var members = document.root.members
            while let member = members.next() {
                guard member.key.asString == "error" else { continue }
                var parts = member.value.members
                while let part = parts.next() {
                    if part.key.asString == "message", let text = part.value.asString {
                        return text
                    }
                }
            }
        }
        return "the listener answers \(answer.status)"
    }
}
