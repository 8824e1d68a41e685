// SPDX-License-Identifier: MIT

/// A place in which programs look up whom they trust, with what puts a root there.
public struct TrustStore: Sendable, Equatable {
    /// The word for it on the command line.
    public let name: String
    /// Which programs use it.
    public let title: String
    /// The lines of a shell that put the root there; what only a person can do is a comment.
    public let steps: [String]
    /// Those that take it away.
    public let undoing: [String]
    /// Whether any of the steps can be done by a program.
    public let isApplicable: Bool

    /// A store of these parts.
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

/// What was done to a store of trust, and what is left for others to do.
public struct TrustChange: Sendable, Equatable {
    /// The commands that were run.
    public var commands: [String] = []
    /// The bundle that was written for it.
    public var bundle: CertificateBundle?
    /// Lines for the user's shell: variables that programs have to be started with, or without.
    public var variables: [String] = []
    /// What a person has to do.
    public var sentences: [String] = []
    /// Whether nothing was to be done, since it was done before.
    public var isDoneAlready = false

    /// Nothing done.
    public init() {}
}

/// What was found about the trust of one program.
public struct TrustFinding: Sendable, Equatable {
    /// The name of the store.
    public let store: String
    /// The program, or the part of it, that was tried.
    public let client: String
    /// What came of it.
    public let verdict: TrustVerdict

    /// A finding of these parts.
    public init(store: String, client: String, verdict: TrustVerdict) {
        self.store = store
        self.client = client
        self.verdict = verdict
    }
}

/// Whether a program trusts a root.
public enum TrustVerdict: Sendable, Equatable {
    /// It takes certificates of the authority.
    case trusted
    /// It does not, for the reason that is given.
    case untrusted(String)
    /// It is not installed.
    case notInstalled
    /// That could not be found out, for the reason that is given.
    case unclear(String)
}
