// SPDX-License-Identifier: MIT

internal import TaplineFiles
internal import TaplineNet
internal import TaplinePlugin

/// A place in which programs look up whom they trust, the steps that put the root there, and those
/// that take it away.
///
/// Steps are commands as lists of words, so that whoever runs them needs no shell, and sentences
/// for what only a person can do.
struct TrustSteps: Sendable, Equatable {
    /// One step.
    enum Step: Sendable, Equatable {
        /// A command to run.
        case run([String])
        /// The file of all that is trusted so far has to be written, with the root in it.
        case writeBundle
        /// A variable that the program has to be started with.
        case set(String, String)
        /// A variable that it has to be started without.
        case unset(String)
        /// What a person has to do.
        case say(String)
    }

    /// The word for it on the command line.
    let name: String
    /// Whom it is for.
    let title: String
    /// What has to be done, in this order.
    let steps: [Step]
    /// What undoes it.
    let undoing: [Step]
    /// A command that succeeds where the steps were done already and would now fail.
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

    /// Whether there is a step that a program can do.
    private var isApplicable: Bool {
        steps.contains { step in
            if case .say = step { return false }
            return true
        }
    }

    /// The store as commands show it.
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

/// Whose root is to be trusted, and on which system.
struct TrustSubject: Sendable {
    /// The file of the root certificate, by its whole path.
    let certificate: String
    /// The file of all that is trusted so far with the root in it, by its whole path.
    let bundle: String
    /// The root's name, by which stores list it.
    let name: String
    /// What writes the bundle, as words of a command line.
    let bundleCommand: [String]
    /// The variables of the process.
    let environment: [String: String]

    /// Where Debian keeps certificates of the machine's own, and what reads them.
    var debianFolder = "/usr/local/share/ca-certificates"
    var debianUpdate = ["update-ca-certificates"]
    /// Where Fedora keeps them, and what reads them.
    var fedoraFolder = "/etc/pki/ca-trust/source/anchors"
    var fedoraUpdate = ["update-ca-trust", "extract"]
    /// The store of Java, as keytool is told of it.
    var javaStore = ["-cacerts", "-storepass", "changeit"]

    /// A root on this system.
    ///
    /// - Parameters:
    ///   - authority: Whose root it is.
    ///   - store: Where it is kept.
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

    /// The user's own folder.
    var home: String { environment["HOME"] ?? "/" }

    /// The path of a program, where it is installed.
    func program(_ name: String) -> String? {
        ChildProcess.find(name, in: environment["PATH"])
    }
}

// MARK: - As text

extension TrustSteps.Step {
    /// The step as a person would type it, or as a sentence.
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

    /// A word as the shell takes it for itself (POSIX.1 §2.2.2).
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
