// SPDX-License-Identifier: MIT

internal import TaplineCertificates
internal import TaplineTLS
internal import TaplinePlugin
internal import TaplineSystem

/// A trust store of programs, the steps that add the root to it, and the steps that remove it.
///
/// Steps are commands as lists of words, which need no shell, and sentences for steps that only a
/// person can do.
struct TrustSteps: Sendable, Equatable {
    /// One step.
    enum Step: Sendable, Equatable {
        /// A command to run.
        case run([String])
        /// Writes the file of all certificates trusted so far, with the root.
        case writeBundle
        /// A variable that the program has to be started with.
        case set(String, String)
        /// A variable that the program has to be started without.
        case unset(String)
        /// A step for a person.
        case say(String)
    }

    /// The name on the command line.
    let name: String
    /// The programs that it is for.
    let title: String
    /// The steps, in order.
    let steps: [Step]
    /// The steps that undo them.
    let undoing: [Step]
    /// A command that succeeds if the steps were already done and would now fail.
    let isDone: [String]?

    init(
        _ name: String,
        _ title: String,
        _ steps: [Step],
        undoing: [Step],
        isDone: [String]? = nil
    ) {
        self.name = name
        self.title = title
        self.steps = steps
        self.undoing = undoing
        self.isDone = isDone
    }

    /// Whether a program can do at least one step.
    private var isApplicable: Bool {
        steps.contains { step in
            if case .say = step { return false }
            return true
        }
    }

    /// The store in the form that commands show.
    func shown(for subject: TrustSubject) -> TrustStore {
        TrustStore(
            name: name,
            title: title,
            steps: steps.map { $0.text(for: subject) },
            undoing: undoing.map { $0.text(for: subject) },
            isApplicable: isApplicable
        )
    }
}

/// The root that is to be trusted, and the system.
struct TrustSubject: Sendable {
    /// The absolute path of the root certificate.
    let certificate: String
    /// The absolute path of the file of all certificates trusted so far, with the root.
    let bundle: String
    /// The root's name in stores.
    let name: String
    /// The command that writes the bundle, as words of a command line.
    let bundleCommand: [String]
    /// The variables of the process.
    let environment: [String: String]

    /// The folder for the machine's own certificates on Debian, and the command that reads it.
    var debianFolder = "/usr/local/share/ca-certificates"
    var debianUpdate = ["update-ca-certificates"]
    /// The folder for such certificates on Fedora, and the command that reads it.
    var fedoraFolder = "/etc/pki/ca-trust/source/anchors"
    var fedoraUpdate = ["update-ca-trust", "extract"]
    /// The arguments of keytool for the store of Java.
    var javaStore = ["-cacerts", "-storepass", "changeit"]

    /// Describes a root on this system.
    ///
    /// - Parameters:
    ///   - authority: The authority of the root.
    ///   - store: The store of the authority.
    ///   - environment: The variables of the process.
    init(
        _ authority: CertificateAuthority,
        in store: AuthorityStore,
        environment: [String: String]
    ) {
        certificate = store.certificatePath
        bundle = store.bundlePath
        name = authority.summary.name
        let isOwn = store == AuthorityStore(environment: environment)
        bundleCommand =
            ["tapline", "ca", "export", "--format", "bundle", "--out", store.bundlePath]
            + (isOwn ? [] : ["--ca", store.folder])
        self.environment = environment
    }

    /// The user's home folder.
    var home: String { environment["HOME"] ?? "/" }

    /// Returns the path of a program; `nil` if it is not installed.
    func program(_ name: String) -> String? {
        ChildProcess.find(name, in: environment["PATH"])
    }
}

// MARK: - As text

extension TrustSteps.Step {
    /// Returns the step as a shell command, or as a sentence.
    func text(for subject: TrustSubject) -> String {
        switch self {
        case .run(let words): Self.line(words)
        case .writeBundle: Self.line(subject.bundleCommand)
        case .set(let name, let value): "export \(name)=\(Self.quoted(value))"
        case .unset(let name): "unset \(name)"
        case .say(let sentence): "# \(sentence)"
        }
    }

    static func line(_ words: [String]) -> String {
        words.map(quoted).joined(separator: " ")
    }

    /// Quotes a word for the shell, if needed (POSIX.1 §2.2.2).
    static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
            default: "_@%+=:,./-".utf8.contains(byte)
            }
        }
        if isPlain, !word.isEmpty { return word }
        return
            "'\(word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }
}
