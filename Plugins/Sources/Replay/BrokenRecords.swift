// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineFormats
internal import TaplinePlugin

/// Decides what happens after records that cannot be read; counts and logs them.
///
/// **Isolation**: any thread.
final class BrokenRecords: Sendable {
    /// How many are logged individually; after that, only counts that are powers of two are logged.
    static let always = 5

    private let policy: BadRecords
    private let intake: any Intake
    private let seen = Atomic<Int>(0)
    private let incomplete = Atomic<Int>(0)

    init(_ policy: BadRecords, _ intake: any Intake) {
        self.policy = policy
        self.intake = intake
    }

    /// Whether the run continues after an error.
    ///
    /// A recording that is cut off, as after a crash of its writer, never fails the run.
    func mayGoOn(after error: any Error) -> Bool {
        let isCut = (error as? RecordError)?.code == .cutOff
        guard isCut || policy == .skip else { return false }
        intake.rejected(1)
        let count = seen.wrappingAdd(1, ordering: .relaxed).newValue
        if isCut || count <= Self.always {
            intake.log.warning("\(error); \(isCut ? "the end is missing" : "skipped")")
        } else if count.nonzeroBitCount == 1 {
            intake.log.warning("\(error); skipped (\(count) broken records so far)")
        }
        return true
    }

    /// Notes an exchange of a database of which a part is missing, or all of it.
    func noteIncomplete(_ message: @autoclosure () -> String) {
        let count = incomplete.wrappingAdd(1, ordering: .relaxed).newValue
        if count <= Self.always {
            intake.log.warning(message())
        } else if count.nonzeroBitCount == 1 {
            intake.log.warning("\(message()) (\(count) incomplete exchanges so far)")
        }
    }
}
