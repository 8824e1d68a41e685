// SPDX-License-Identifier: MIT

/// One line of `tapline doctor`: what was checked, what was found, and what to do.
struct DoctorFinding: Sendable, Equatable {
    /// How good it is.
    enum Status: String, Sendable, CaseIterable {
        case ok
        case warn
        case fail
    }

    let status: Status
    /// What was looked at, such as `descriptors`.
    let subject: String
    /// What was found.
    let found: String
    /// What to do; `nil` if there is nothing to do.
    let help: String?

    static func ok(_ subject: String, _ found: String) -> DoctorFinding {
        DoctorFinding(status: .ok, subject: subject, found: found, help: nil)
    }

    static func warn(_ subject: String, _ found: String, help: String) -> DoctorFinding {
        DoctorFinding(status: .warn, subject: subject, found: found, help: help)
    }

    static func fail(_ subject: String, _ found: String, help: String) -> DoctorFinding {
        DoctorFinding(status: .fail, subject: subject, found: found, help: help)
    }
}
