// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplineStore
internal import TaplineSystem

/// `tapline store prune STORE...`: a retention afterwards.
enum StorePrune {
    static func run(_ invocation: Invocation) throws -> ExitCode {
        var limits = PruneLimits(count: try invocation.number("count"))
        limits.age = try invocation.time("age")
        if let text = invocation.value("bytes") {
            guard let bytes = ByteSizeText.bytes(text) else {
                throw UsageError(
                    message: "wrong value of '--bytes'; found '\(text)', expected a size such as "
                        + "10GiB"
                )
            }
            limits.bytes = bytes
        }
        guard limits.count != nil || limits.age != nil || limits.bytes != nil else {
            throw UsageError(message: "'store prune' needs '--count', '--age' or '--bytes'")
        }
        let now = Timestamp(microseconds: WallClock.microseconds)
        for path in try StoreCommand.files(StoreCommand.names(invocation)) {
            let (removed, left) = try DatabaseRewrite(path, .shared).prune(limits, now: now)
            invocation.console.note(
                "\(path): \(Counted.text(removed, "exchange")) removed, \(left) left"
            )
        }
        return .success
    }
}

extension Invocation {
    /// The value of an option as a time that is greater than zero; `nil` if it is not given.
    func time(_ option: String) throws(UsageError) -> Microseconds? {
        guard let text = value(option) else { return nil }
        guard let time = DurationArgument.parse(text), Microseconds(time).count > 0 else {
            throw UsageError(
                message: "wrong value of '--\(option)'; found '\(text)', expected a time such as 1d"
            )
        }
        return Microseconds(time)
    }
}
