// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
import TaplinePlugin

extension StagePlugin {
    /// The stage `pick`: keeps one in N exchanges, chosen by id, so that each run keeps the same.
    public static var pick: StagePlugin {
        let oneOf = ConfigKey(
            "one_of",
            .integer(in: 1...1_000_000),
            summary: "Keep one in this many exchanges.",
            example: "10"
        )
        return StagePlugin(
            name: "pick",
            summary: "Keeps one in N exchanges, chosen by their ids.",
            options: OptionSchema(oneOf)
        ) { options, _ in
            Pick(oneOf: UInt64(options[oneOf]))
        }
    }
}

/// A configured `pick`, which makes a stage for each lane.
private struct Pick: StageFactory {
    let oneOf: UInt64
    let hooks: Hooks = .record

    func makeStage(_ context: StageContext) throws -> any Stage { Chooser(oneOf: oneOf) }

    /// The stage of one lane.
    private final class Chooser: RecordStage {
        let oneOf: UInt64

        init(oneOf: UInt64) { self.oneOf = oneOf }

        func record(
            _ exchange: inout Exchange,
            _ context: inout ExchangeContext
        ) throws -> RecordVerdict {
            // Ids begin with the time: mix all bits, so that the clock does not affect the choice.
            var bits = exchange.id.high ^ (exchange.id.low &* 0x9E37_79B9_7F4A_7C15)
            bits = (bits ^ (bits >> 32)) &* 0xD6E8_FEB8_6659_FD93
            bits ^= bits >> 32
            return bits % oneOf == 0 ? .keep : .drop(reason: "not picked")
        }
    }
}
