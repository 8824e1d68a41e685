// SPDX-License-Identifier: MIT

internal import Glibc
internal import TaplineFiles
internal import TaplinePlugin

extension TrustChange {
    /// How long a command may take, the time in which a person types a password included.
    private static var seconds: Int { 300 }

    /// Does the steps of a store that a program can do, or undoes them.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - undoing: Whether the root is taken away.
    ///   - subject: Whose root it is.
    ///   - writeBundle: Writes the bundle, where a store needs it.
    /// - Throws: `CertificateError` at the first command that cannot be run or fails; what was done
    ///   before stays done.
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
                    throw CertificateError("'\(line)' did not end in time")
                }
                guard ending.isSuccess else {
                    let last = report.text.split(separator: "\n").last.map { ": \($0)" } ?? ""
                    throw CertificateError("'\(line)' ended with \(ending.code)\(last)")
                }
                commands.append(line)
            }
        }
    }

    /// Runs a command, without `sudo` where it has no use; `nil` if it is not installed.
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
                    "'\(name)' needs the rights of root, and there is no sudo; run it as root: "
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

    /// What to say where a program is not installed.
    private static func missing(_ words: [String], _ store: TrustSteps) -> String {
        let name = words.first { $0 != "sudo" } ?? ""
        let place =
            switch name {
            case "certutil": "; it is in libnss3-tools (Debian) and nss-tools (Fedora)"
            case "keytool": "; it comes with Java"
            default: ", so this seems to be no place for '\(store.name)'"
            }
        return "'\(name)' is not installed\(place)"
    }
}
