// SPDX-License-Identifier: MIT

internal import TaplinePlugin

/// How much of the recording is shed, in the one word that lanes read for each exchange.
struct SheddingState: Equatable {
    /// The resource that is short.
    enum Cause: UInt32 {
        case memory
        case processor

        /// The name in messages.
        var name: String {
            switch self {
            case .memory: "memory"
            case .processor: "processor"
            }
        }
    }

    /// The number of bits of a share.
    static let bits: UInt64 = 16
    /// Nothing is shed.
    static let none = SheddingState(kept: 1 << 16, cause: .memory)

    let word: UInt32

    init(word: UInt32) { self.word = word }

    /// Creates a state in which a part of 65,536 is recorded.
    init(kept: UInt32, cause: Cause) {
        word = min(kept, 1 << 16) | cause.rawValue << 24
    }

    /// The part of 65,536 that is recorded.
    var kept: UInt32 { word & 0xFF_FFFF }
    var isActive: Bool { kept < 1 << 16 }
    var cause: Cause { word >> 24 == 0 ? .memory : .processor }

    /// What becomes of an exchange that is shed.
    var decision: RecordingDecision { cause == .memory ? .shedMemory : .shedProcessor }
}
