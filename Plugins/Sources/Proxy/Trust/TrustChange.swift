// SPDX-License-Identifier: MIT

internal import Glibc
internal import TaplineCertificates
internal import TaplinePlugin
internal import TaplineSystem

extension TrustChange {
    /// The time limit for a command, including the time in which a person types a password.
    private static var seconds: Int { 300 }

    /// Carries out the steps of a store that a program can do, or undoes them.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - undoing: Whether to remove the root.
    ///   - subject: The root.
    ///   - writeBundle: Writes the bundle, if a store needs it.
    /// - Throws: `CertificateError` at the first command that cannot be run or fails. Completed
    ///   steps are not undone.
    init(
        of store: TrustSteps,
        undoing: Bool,
        for subject: TrustSubject,
        writeBundle: () throws(CertificateError) -> CertificateBundle
    ) throws(CertificateError) {
        self.init()
        if !undoing, let probe = store.isDone, try Self.run(probe, subject)?.isSuccess == true {
            isDoneAlready = true
            return
        }
        for step in undoing ? store.undoing : store.steps {
            switch step {
            case .writeBundle: bundle = try writeBundle()
            case .set, .unset: variables.append(step.text(for: subject))
            case .say(let sentence): sentences.append(sentence)
            case .run(let words):
                let line = TrustSteps.Step.line(words)
                guard let report = try Self.run(words, subject) else {
                    throw CertificateError(Self.missing(words, store))
                }
                guard let ending = report.ending else {
                    throw CertificateError("'\(line)' timed out")
                }
                guard ending.isSuccess else {
                    let last = report.text.split(separator: "\n").last.map { ": \($0)" } ?? ""
                    throw CertificateError("'\(line)' ended with \(ending.code)\(last)")
                }
                commands.append(line)
            }
        }
    }

    /// Runs a command, without `sudo` if that is not needed; `nil` if it is not installed.
    private static func run(
        _ words: [String],
        _ subject: TrustSubject
    ) throws(CertificateError) -> ChildProcess.Report? {
        let isPrivileged = words.first == "sudo"
        var words = isPrivileged ? Array(words.dropFirst()) : words
        guard let name = words.first, let program = subject.program(name) else { return nil }
        words[0] = program
        let asks = isPrivileged && geteuid() != 0
        if asks {
            guard let sudo = subject.program("sudo") else {
                throw CertificateError(
                    "'\(name)' requires root, and sudo is not installed; run as root: "
                        + TrustSteps.Step.line(words)
                )
            }
            words.insert(sudo, at: 0)
        }
        do throws(FileError) {
            return try ChildProcess.run(
                words,
                environment: subject.environment,
                input: asks ? .inherited : .nothing,
                seconds: seconds
            )
        } catch {
            throw CertificateError("\(error)")
        }
    }

    /// Returns the message for a program that is not installed.
    private static func missing(_ words: [String], _ store: TrustSteps) -> String {
        let name = words.first { $0 != "sudo" } ?? ""
        let place =
            switch name {
            case "certutil": "; it is in libnss3-tools (Debian) and nss-tools (Fedora)"
            case "keytool": "; it comes with Java"
            default: ", so '\(store.name)' does not seem to apply to this system"
            }
        return "'\(name)' is not installed\(place)"
    }
}
