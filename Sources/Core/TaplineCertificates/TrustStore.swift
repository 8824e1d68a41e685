// SPDX-License-Identifier: MIT

/// A trust store of programs, with the steps that add a root to it.
public struct TrustStore: Sendable, Equatable {
    /// The name on the command line.
    public let name: String
    /// The programs that use the store.
    public let title: String
    /// The shell commands that add the root; steps that only a person can do are comments.
    public let steps: [String]
    /// The shell commands that remove the root.
    public let undoing: [String]
    /// Whether a program can carry out any of the steps.
    public let isApplicable: Bool

    /// Creates a store.
    public init(
        name: String,
        title: String,
        steps: [String],
        undoing: [String],
        isApplicable: Bool
    ) {
        self.name = name
        self.title = title
        self.steps = steps
        self.undoing = undoing
        self.isApplicable = isApplicable
    }
}

/// The changes made to a trust store, and what is left for the user to do.
public struct TrustChange: Sendable, Equatable {
    /// The commands that were run.
    public var commands: [String] = []
    /// The bundle that was written for the store.
    public var bundle: CertificateBundle?
    /// Lines for the user's shell: variables to set, or to unset, before programs are started.
    public var variables: [String] = []
    /// Instructions for the user.
    public var sentences: [String] = []
    /// Whether there was nothing to do, since the change had been made before.
    public var isDoneAlready = false

    /// Creates a change with no steps.
    public init() {}
}

/// The finding about the trust of one program.
public struct TrustFinding: Sendable, Equatable {
    /// The name of the store.
    public let store: String
    /// The program, or the part of it, that was tested.
    public let client: String
    /// The result of the test.
    public let verdict: TrustVerdict

    /// Creates a finding.
    public init(store: String, client: String, verdict: TrustVerdict) {
        self.store = store
        self.client = client
        self.verdict = verdict
    }
}

/// Whether a program trusts a root.
public enum TrustVerdict: Sendable, Equatable {
    /// It accepts certificates of the authority.
    case trusted
    /// It does not accept them, for the given reason.
    case untrusted(String)
    /// It is not installed.
    case notInstalled
    /// The result is unknown, for the given reason.
    case unclear(String)
}
