// SPDX-License-Identifier: MIT

internal import TaplineConfig

extension Invocation {
    /// The value of an option as a number that is not negative; `nil` if it is not given.
    package func number(_ option: String) throws(UsageError) -> Int? {
        guard let text = value(option) else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw UsageError(
                message: "wrong value of '--\(option)'; found '\(text)', expected a number"
            )
        }
        return number
    }

    /// The value of `--for`; `nil` if it is not given.
    package func timeLimit() throws(UsageError) -> Duration? {
        guard let text = value("for") else { return nil }
        guard let time = DurationArgument.parse(text) else {
            throw UsageError(
                message: "wrong value of '--for'; found '\(text)', expected a time such as 10s"
            )
        }
        return time
    }
}

/// A duration on the command line, written as in configuration files.
package enum DurationArgument {
    package static func parse(_ text: String) -> Duration? {
        let source = ConfigSource(name: "--for", text: text)
        let node = ConfigNode(.scalar(text, isPlain: true), at: source.location(at: 0))
        var context = OptionContext()
        let value = OptionType<Duration>.duration.decode(node, &context)
        return context.diagnostics.hasErrors ? nil : value
    }
}
