// SPDX-License-Identifier: MIT

/// A trust store of programs, with the steps that add a root to it.
package struct TrustStore: Sendable, Equatable {
    /// The name on the command line.
    package let name: String
    /// The programs that use the store.
    package let title: String
    /// The shell commands that add the root; steps that only a person can do are comments.
    package let steps: [String]
    /// The shell commands that remove the root.
    package let undoing: [String]
    /// Whether a program can carry out any of the steps.
    package let isApplicable: Bool

    /// Creates a store.
    package init(
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
package struct TrustChange: Sendable, Equatable {
    /// The commands that were run.
    package var commands: [String] = []
    /// The bundle that was written for the store.
    package var bundle: CertificateBundle?
    /// Lines for the user's shell: variables to set, or to unset, before programs are started.
    package var variables: [String] = []
    /// Instructions for the user.
    package var sentences: [String] = []
    /// Whether there was nothing to do, since the change had been made before.
    package var isDoneAlready = false

    /// Creates a change with no steps.
    package init() {}
}

/// The finding about the trust of one program.
package struct TrustFinding: Sendable, Equatable {
    /// The name of the store.
    package let store: String
    /// The program, or the part of it, that was tested.
    package let client: String
    /// The result of the test.
    package let verdict: TrustVerdict

    /// Creates a finding.
    package init(store: String, client: String, verdict: TrustVerdict) {
        self.store = store
        self.client = client
        self.verdict = verdict
    }
}

/// Whether a program trusts a root.
package enum TrustVerdict: Sendable, Equatable {
    /// It accepts certificates of the authority.
    case trusted
    /// It does not accept them, for the given reason.
    case untrusted(String)
    /// It is not installed.
    case notInstalled
    /// The result is unknown, for the given reason.
    case unclear(String)
}
