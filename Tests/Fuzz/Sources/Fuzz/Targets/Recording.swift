// SPDX-License-Identifier: MIT

import TaplineCodings

/// Recordings in any format, plain or as complete, truncated or damaged gzip and zstd files.
func fuzzRecording(_ input: inout FuzzInput) {
    let coding = input.pick([nil, ContentCoding.gzip, ContentCoding.zstd])
    let damage = input.below(4)
    let place = (input.below(256), input.below(256))
    var choice = FuzzInput(bytes: input.take(2))
    let plain = input.rest()
    let whole = RecordingOutcome.check(plain, &choice)
    guard let coding, var bytes = encoded(plain, coding) else { return }
    switch damage {
    case 0: bytes.removeLast(min(place.0, bytes.count))
    case 1 where !bytes.isEmpty: bytes[place.0 % bytes.count] ^= UInt8(place.1)
    case 2: bytes += bytes
    default: break
    }
    let decoded = RecordingOutcome.check(bytes, &choice, mayBeDamaged: true)
    // A file that is compressed twice is not the same recording as one that is compressed once.
    if damage == 3, !looksCompressed(plain) {
        require(decoded == whole, "compression made a difference")
    }
}

private func encoded(_ bytes: [UInt8], _ coding: ContentCoding) -> [UInt8]? {
    var output: [UInt8] = []
    do throws(CodingError) {
        try ContentEncoder(coding).encodeWhole(bytes.span, appendingTo: &output)
        return output
    } catch {
        return nil
    }
}

private func looksCompressed(_ bytes: [UInt8]) -> Bool {
    let isZlib = bytes.count >= 2 && bytes[0] == 0x78 && (0x7800 | Int(bytes[1])) % 31 == 0
    return isZlib || bytes.starts(with: [0x1F, 0x8B])
        || bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
}
