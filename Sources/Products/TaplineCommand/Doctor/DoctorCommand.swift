// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineJSON
internal import TaplineModel

/// `tapline doctor [FILE]`.
enum DoctorCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        var pipeline: DoctorPipeline?
        if let file = invocation.operands.first {
            guard let read = DoctorPipeline(file, invocation) else { return .configuration }
            pipeline = read
        } else if invocation.has("set") {
            let error = UsageError(
                message: "'--set' needs FILE",
                help: "tapline doctor FILE --set ID.OPTION=VALUE"
            )
            return invocation.report(error)
        }
        let findings = DoctorCollector(invocation: invocation).facts(of: pipeline).findings
        let bytes = invocation.has("json") ? json(findings) : Array(text(findings).utf8)
        invocation.console.writeLines(bytes)
        return findings.contains { $0.status == .fail } ? .failure : .success
    }

    /// Findings as lines, each followed by what to do.
    static func text(_ findings: [DoctorFinding]) -> String {
        let width = min(findings.map(\.subject.count).max() ?? 0, 40)
        return findings.map { finding in
            let subject = Columns.pad(finding.subject, to: width)
            let line =
                "\(Columns.pad(finding.status.rawValue, to: 4))  \(subject)  \(finding.found)\n"
            return line + (finding.help.map { "      help: \($0)\n" } ?? "")
        }
        .joined()
    }

    /// Findings as one JSON object.
    static func json(_ findings: [DoctorFinding]) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("fails", findings.contains { $0.status == .fail })
            json.key("findings")
            json.array { json in
                for finding in findings {
                    json.object { json in
                        json.member("status", finding.status.rawValue)
                        json.member("subject", finding.subject)
                        json.member("found", finding.found)
                        if let help = finding.help { json.member("help", help) }
                    }
                }
            }
        }
        json.separator(0x0A)
        return Array(copying: json.bytes)
    }
}
