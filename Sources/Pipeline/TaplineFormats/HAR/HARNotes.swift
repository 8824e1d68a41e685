// SPDX-License-Identifier: MIT

/// What is counted while the entries of a HAR file are read.
struct HARNotes {
    /// What could not be preserved.
    var losses = LossReport()
    /// Deviations from HAR 1.2 that were read anyway.
    var findings = LossReport()

    /// The form of the response's content, if it is in pieces.
    var chunks: HARChunks.Form?

    /// Whether `_webSocketMessages` are kept unchanged, since another tool wrote them.
    var keepsMessages = false

    /// Whether `_eventSourceMessages` are kept unchanged, since their form is unexpected.
    var keepsEvents = false

    /// Whether `_tapline` is kept unchanged, since its form is unexpected.
    var keepsExtra = false

    /// Adds the notes of another entry.
    mutating func add(_ other: HARNotes) {
        losses.add(other.losses)
        findings.add(other.findings)
    }
}
