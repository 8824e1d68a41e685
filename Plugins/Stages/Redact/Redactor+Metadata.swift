// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel
internal import TaplineProtobuf

/// Fields of gRPC whose values are encoded: `grpc-message`, and those with names in `-bin`.
extension Redactor {
    /// Edits a percent-encoded text as what it means; returns whether it was edited.
    mutating func editEncodedMessage(_ value: Span<UInt8>) -> Bool {
        let text = PercentEncoding.decode(value, plusIsSpace: false)
        let outer = exchange(&edits, with: EditList())
        editField(text.span)
        search.edit(text.span, 0..<text.count, .plain, &edits)
        let inner = exchange(&edits, with: outer)
        guard !inner.isEmpty else { return false }
        let written = PercentEncoding.encode(inner.apply(to: text.span).span)
        edits.add(0..<value.count, written.span, by: inner)
        return true
    }

    /// Edits the messages that a value contains in base64, several of them separated by commas.
    ///
    /// Their types are not known, so detectors search their strings.
    mutating func editBinary(_ value: Span<UInt8>) {
        var start = 0
        while start < value.count {
            let end = value.firstIndex(of: .ascii(","), from: start) ?? value.count
            editBinary(value, value.trimmed(start..<end))
            start = end + 1
        }
    }

    private mutating func editBinary(_ value: Span<UInt8>, _ range: Range<Int>) {
        var decoder = GRPCWebText()
        var message: [UInt8] = []
        // Padding may be left out.
        let padding = [UInt8](repeating: .ascii("="), count: (4 - range.count % 4) % 4)
        guard decoder.decode(value.extracting(range), appendingTo: &message),
            padding.isEmpty || decoder.decode(padding.span, appendingTo: &message),
            !message.isEmpty
        else { return }
        let outer = exchange(&edits, with: EditList())
        editUnnamedProtobuf(message.span)
        let inner = exchange(&edits, with: outer)
        guard !inner.isEmpty else { return }
        var text: [UInt8] = []
        GRPCWebText.encode(inner.apply(to: message.span).span, appendingTo: &text)
        edits.add(range, text.span, by: inner)
    }

    /// Edits a field in the trailers of gRPC-Web.
    mutating func editFieldLine(_ bytes: Span<UInt8>, _ name: Range<Int>, _ range: Range<Int>) {
        let value = bytes.extracting(range)
        let outer = exchange(&edits, with: EditList())
        let isRemoved = findEdits(value, rules.treatment(of: bytes.extracting(name)))
        let inner = exchange(&edits, with: outer)
        if isRemoved {
            edits.add(range, Span(), by: inner)
        } else {
            edits.merge(inner, offset: range.lowerBound)
        }
    }
}
