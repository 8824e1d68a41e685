// SPDX-License-Identifier: MIT

/// Whether an exchange is recorded, and if not, why; its traffic passes in any case.
package enum RecordingDecision: UInt8, Sendable {
    /// Not decided; it is recorded unless that is decided otherwise.
    case undecided
    /// It is recorded.
    case recorded
    /// The source's `sample` excludes it.
    case sampledOut
    /// It began while `max_exchanges_in_flight` others were recorded.
    case overLimit
    /// It is shed, because memory is short.
    case shedMemory
    /// It is shed, because processor time is short.
    case shedProcessor
}

extension ExchangeContext {
    /// Whether the exchange is recorded; if not, a source need not keep bodies and messages.
    package var isRecorded: Bool { recording.rawValue <= RecordingDecision.recorded.rawValue }
}
