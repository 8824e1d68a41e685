// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineImport
import TaplineModel

/// Files of other tools: the result does not depend on chunks, errors have their place in the file,
/// and exchanges can be written as NDJSON and read again.
func fuzzImport(_ input: inout FuzzInput) {
    let formats: [ImportFormat?] = [nil] + ImportFormat.allCases.map(Optional.some)
    let format = input.pick(formats)
    let step = 1 + input.below(64)
    let bytes = input.rest()
    let whole = ImportOutcome(bytes, format, step: bytes.count + 1)
    let cut = ImportOutcome(bytes, format, step: step)
    // How much of a damaged compressed file is decoded depends on the chunks.
    let isDamaged = whole.end != nil || cut.end != nil
    require(whole == cut || isDamaged, "the result depends on chunks")
    if RecordingProbe.coding(of: bytes.span.extracting(0..<min(4, bytes.count))) == nil {
        for error in whole.errors {
            require(0...bytes.count ~= error.byte, "the place is out of bounds")
        }
    }
    for exchange in whole.exchanges { RoundTrip.checkNDJSON(exchange) }
}

/// The result of reading a file in chunks.
private struct ImportOutcome: Equatable {
    private(set) var exchanges: [Exchange] = []
    private(set) var errors: [RecordError] = []
    /// Why reading ended early.
    private(set) var end: String?
    private let unread: LossReport

    init(_ bytes: [UInt8], _ format: ImportFormat?, step: Int) {
        let options = ImportOptions(file: "f", maxRecordBytes: 1 << 20)
        let reader = ImportReader(format, options: options)
        var elements: [ImportReader.Element] = []
        do {
            for start in stride(from: 0, to: bytes.count, by: step) {
                let end = min(start + step, bytes.count)
                try reader.read(bytes[start..<end].span) { elements.append($0) }
            }
            try reader.finish { elements.append($0) }
        } catch {
            end = "\(error)"
        }
        unread = reader.unread
        for element in elements {
            switch element {
            case .success(let exchange): exchanges.append(exchange)
            case .failure(let error): errors.append(error)
            }
        }
    }
}
