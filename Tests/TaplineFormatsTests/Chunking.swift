// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import TaplinePlugin
import Testing

/// The result of reading a recording: targets or errors, and the error that ended it.
struct Outcome: Equatable, CustomStringConvertible {
    var elements: [String] = []
    var end: String?

    var description: String { "\(elements) end: \(end ?? "-")" }
}

func outcome(_ chunks: [[UInt8]], maxRecordBytes: Int = 1 << 20) -> Outcome {
    var result = Outcome()
    var reader = RecordingReader(file: "f", maxRecordBytes: maxRecordBytes)
    func receive(_ element: RecordingReader.Element) {
        switch element {
        case .success(let exchange): result.elements.append("\(exchange.request.target)")
        case .failure(let error): result.elements.append("\(error)")
        }
    }
    do {
        for chunk in chunks { try reader.read(chunk.span, receive) }
        try reader.finish(receive)
    } catch {
        result.end = "\(error)"
    }
    return result
}

/// Reads bytes at once, one by one, and split at each position; the outcome must be the same.
func verifyChunking(_ bytes: [UInt8], maxRecordBytes: Int = 1 << 20) -> Outcome {
    let whole = outcome([bytes], maxRecordBytes: maxRecordBytes)
    #expect(outcome(bytes.map { [$0] }, maxRecordBytes: maxRecordBytes) == whole, "single bytes")
    for cut in bytes.indices {
        let parts = [Array(bytes[..<cut]), Array(bytes[cut...])]
        let found = outcome(parts, maxRecordBytes: maxRecordBytes)
        if found != whole {
            Issue.record("cut at \(cut): \(found), whole: \(whole)")
            break
        }
    }
    return whole
}

func record(_ target: String) -> String {
    #"{"v":1,"request":{"method":"GET","url":"http://h\#(target)"}}"#
}

func entry(_ target: String) -> String {
    #"{"request":{"method":"GET","url":"http://h\#(target)"}}"#
}
