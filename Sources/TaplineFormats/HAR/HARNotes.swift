// SPDX-License-Identifier: MIT

/// What is counted while the entries of a HAR file are read.
struct HARNotes {
    /// What could not be carried over.
    var losses = LossReport()
    /// What HAR 1.2 does not allow and was read all the same.
    var findings = LossReport()

    /// How the content of the response is written, if it is in pieces.
    var chunks: HARChunks.Form?

    /// Whether `_webSocketMessages` are kept as they are, since another tool wrote them.
    var keepsMessages = false

    /// Whether `_eventSourceMessages` are kept as they are, since they have another form.
    var keepsEvents = false

    /// Whether `_tapline` is kept as it is, since it has another form.
    var keepsExtra = false

    /// Adds the notes of another entry.
    mutating func add(_ other: HARNotes) {
        losses.add(other.losses)
        findings.add(other.findings)
    }
}
