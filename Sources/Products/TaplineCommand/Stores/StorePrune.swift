// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineModel
internal import TaplineStore
internal import TaplineSystem

/// `tapline store prune STORE...`: a retention afterwards; without `--yes`, only counts.
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
        let console = invocation.console
        var hasSurplus = false
        for path in try StoreCommand.files(StoreCommand.names(invocation)) {
            guard invocation.has("yes") else {
                let (removed, left) = try DatabaseRewrite(path, .readOnly)
                    .prunePreview(limits, now: now)
                // Sizes are known only afterwards.
                let about = limits.bytes == nil || removed == 0 ? "" : "about "
                console.note(
                    "\(path): \(about)\(Counted.text(removed, "exchange")) would be removed, "
                        + "\(about)\(left) left"
                )
                hasSurplus = hasSurplus || removed > 0
                continue
            }
            let (removed, left) = try DatabaseRewrite(path, .shared).prune(limits, now: now)
            console.note("\(path): \(Counted.text(removed, "exchange")) removed, \(left) left")
        }
        if hasSurplus { console.note("nothing was changed; '--yes' removes these exchanges") }
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
