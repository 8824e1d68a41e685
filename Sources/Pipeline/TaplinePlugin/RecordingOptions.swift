// SPDX-License-Identifier: MIT

package import TaplineConfig

/// The options that the sources of recordings have in common; each describes them in its own words.
package enum RecordingOptions {
    package static let maxGap = ConfigKey(
        "max_gap",
        .duration,
        default: .seconds(3600),
        summary: "The longest pause between records that `speed` keeps; longer ones are shortened.",
        example: "10s"
    )

    /// Declares `loop`; the verb says what the source does with recordings, such as `played`.
    package static func loop(_ verb: String) -> ConfigKey<RecordingPasses> {
        ConfigKey(
            "loop",
            .recordingPasses,
            default: .times(1),
            summary: "How many times the recordings are \(verb); `true` repeats them forever.",
            example: "3"
        )
    }

    /// Declares `limit`, with its summary.
    package static func limit(_ summary: String) -> ConfigKey<Int?> {
        ConfigKey(
            "limit",
            OptionType<Int>.integer(in: 1...Int.max).optional,
            default: nil,
            summary: summary,
            example: "1000"
        )
    }
}

/// How often recordings are read.
package enum RecordingPasses: Sendable, Equatable {
    case times(Int)
    case forever

    /// Whether another pass follows a given one; passes are numbered from 0.
    package func goesOn(after pass: Int) -> Bool {
        switch self {
        case .times(let count): pass < count - 1
        case .forever: true
        }
    }

    /// The number of passes; `nil` if they are unlimited.
    package var count: Int? {
        switch self {
        case .times(let count): count
        case .forever: nil
        }
    }
}

extension OptionType where Value == RecordingPasses {
    /// A number of passes, or `true` for unlimited passes.
    package static var recordingPasses: Self {
        Self(
            name: "count or true",
            schema: ["anyOf": [["type": "integer", "minimum": 1], ["type": "boolean"]]],
            describe: { passes in passes.count.map { "\($0)" } ?? "true" }
        ) { node, context in
            let expected = "a number of passes, at least 1, or true"
            guard case .scalar(let text, isPlain: true) = node.value else {
                return context.mismatch(node, expected: expected)
            }
            switch text {
            case "true": return .forever
            case "false": return .times(1)
            default:
                guard let count = Int(text), count >= 1 else {
                    return context.mismatch(node, expected: expected)
                }
                return .times(count)
            }
        }
    }
}
