// SPDX-License-Identifier: MIT

import TaplineModel

/// Multipart bodies, after a line with the type: pieces are in order, do not overlap, and cover
/// everything except delimiters.
func fuzzMultipart(_ input: inout FuzzInput) {
    let bytes = input.rest()
    let line = bytes.firstIndex(of: 0x0A) ?? bytes.count
    let body = Array(bytes[min(line + 1, bytes.count)...])
    let type = bytes.span.extracting(0..<line)
    if let reader = MultipartReader(contentType: type) { check(reader, body) }
    if let reader = MultipartReader(beginningOf: body.span) { check(reader, body) }
}

private func check(_ reader: MultipartReader, _ body: [UInt8]) {
    var end = 0
    var gaps = 0
    var pieces = 0
    reader.read(body.span, 0..<body.count) { piece in
        let range =
            switch piece {
            case .preamble(let place), .epilogue(let place): place
            case .part(let part): part.range
            }
        require(range.lowerBound >= end && range.upperBound <= body.count, "pieces out of order")
        gaps += range.lowerBound - end
        end = range.upperBound
        pieces += 1
        guard case .part(let part) = piece else { return }
        require(range.lowerBound >= reader.delimiter.count, "a part without its delimiter")
        if let content = part.content {
            require(range.contains(content.lowerBound) || content.isEmpty, "content outside")
            require(content.upperBound <= range.upperBound, "content beyond its part")
        }
    }
    require(pieces > 0 && end == body.count, "bytes are left over")
    require(gaps <= pieces * (reader.delimiter.count + 2), "bytes were skipped")
}
