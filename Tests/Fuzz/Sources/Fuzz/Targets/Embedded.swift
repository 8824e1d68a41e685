// SPDX-License-Identifier: MIT

import TaplineCodings

/// Texts within texts: any bytes can be searched, what is found can be encoded again, and a word
/// planted in nested forms is found among any other bytes.
func fuzzEmbedded(_ input: inout FuzzInput) {
    if input.below(2) == 0 { checkPlanted(&input) } else { checkRuns(input.rest()) }
}

private let word = Array("Zq7-planted-S3CRET-x9K".utf8)

/// Returns how often the word is found, and whether everything was searched.
private func search(_ bytes: [UInt8]) -> (count: Int, isComplete: Bool) {
    var walker = EmbeddedWalker()
    var hits: [EmbeddedHit] = []
    let isComplete = walker.walk(bytes.span, appendingTo: &hits) { text, hits in
        var start = 0
        while start + word.count <= text.count {
            if (0..<word.count).allSatisfy({ text[start + $0] == word[$0] }) {
                hits.append(EmbeddedHit(start: start, end: start + word.count, tag: 0))
            }
            start += 1
        }
    }
    for hit in hits {
        require(0 <= hit.start && hit.start < hit.end && hit.end <= bytes.count, "out of bounds")
    }
    return (hits.count, isComplete)
}

/// Checks any bytes: the content of a run is unchanged after encoding and decoding.
private func checkRuns(_ bytes: [UInt8]) {
    _ = search(bytes)
    let finder = EmbeddedFinder()
    var runs: [EmbeddedRun] = []
    finder.find(in: bytes.span, appendingTo: &runs)
    var end = 0
    for run in runs {
        require(run.range.lowerBound >= end && !run.range.isEmpty, "runs overlap")
        end = run.range.upperBound
        require(end <= bytes.count, "out of bounds")
        var text: [UInt8] = []
        let part = bytes.span.extracting(run.range)
        guard finder.decode(part, from: run.form, appendingTo: &text) == .decoded else { continue }
        var again: [UInt8] = []
        guard run.form.encode(text.span, appendingTo: &again) else { continue }
        var meaning: [UInt8] = []
        _ = finder.decode(again.span, from: run.form, appendingTo: &meaning)
        require(meaning == text, "the content of \(run.form) changed")
    }
}

/// Checks that a word planted in up to three forms, with any bytes around it, is found.
private func checkPlanted(_ input: inout FuzzInput) {
    var text = Array("some words: ".utf8) + word + Array(", and more".utf8)
    for _ in 0..<input.below(4) { text = coded(text, input.below(5)) }
    let before = input.take(input.below(100))
    let border = Array("\n\"".utf8)
    let bytes = before + border + text + border + input.rest()
    let result = search(bytes)
    require(result.count > 0 || !result.isComplete, "not found")
}

private func coded(_ text: [UInt8], _ form: Int) -> [UInt8] {
    switch form {
    case 0: text.flatMap { Array("%".utf8) + hex($0) }
    case 1: text.flatMap { Array("\\u00".utf8) + hex($0) }
    case 2: text.flatMap { Array("&#x".utf8) + hex($0) + Array(";".utf8) }
    case 3: text.flatMap { hex($0) }
    default: base64(text)
    }
}

private func hex(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
}

private func base64(_ text: [UInt8]) -> [UInt8] {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    return stride(from: 0, to: text.count, by: 3).flatMap { start -> [UInt8] in
        let part = text[start..<min(start + 3, text.count)]
        let group = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
        return (0...part.count).map { digits[group >> (18 - 6 * $0) & 63] }
    }
}
