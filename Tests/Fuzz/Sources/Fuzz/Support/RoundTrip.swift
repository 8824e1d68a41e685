// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import TaplinePlugin

/// Checks that what writers write can be read again.
enum RoundTrip {
    /// Seals an exchange with an empty chain, since only chains create records.
    static func seal(_ exchange: Exchange) -> Record {
        var chain = RecordChain([], digests: true)
        guard case .sealed(let record) = chain.seal(exchange) else {
            fatalError("an empty chain dropped an exchange")
        }
        return record
    }

    /// Writes an exchange, reads it and writes it again, and requires that both texts are equal.
    static func checkNDJSON(_ exchange: Exchange) {
        let first = line(exchange)
        var reader = NDJSONReader()
        do throws(RecordError) {
            let again = try reader.read(first.span)
            require(line(again) == first, "a record changed when it was written and read")
        } catch {
            fatalError("a written record cannot be read: \(error)")
        }
    }

    private static func line(_ exchange: Exchange) -> [UInt8] {
        var writer = NDJSONWriter()
        writer.write(seal(exchange))
        let line = Array(copying: writer.bytes)
        require(line.last == 0x0A && !line.dropLast().contains(0x0A), "not one line")
        return line
    }

    /// Writes exchanges as HAR, and requires that all entries can be read.
    static func checkHAR(_ exchanges: [Exchange]) {
        var writer = HARWriter()
        writer.begin(version: "1")
        for exchange in exchanges { writer.write(seal(exchange)) }
        writer.end()
        let outcome = RecordingOutcome(Array(copying: writer.bytes), cuts: [])
        require(outcome.end == nil, "a written archive cannot be read")
        require(outcome.exchanges.count == exchanges.count, "entries were lost")
        require(outcome.errors.isEmpty, "a written entry cannot be read")
    }
}

/// The result of reading a recording in chunks.
struct RecordingOutcome: Equatable {
    /// The exchanges that were read.
    private(set) var exchanges: [Exchange] = []
    /// The errors of entries that could not be read.
    private(set) var errors: [RecordError] = []
    /// Why reading ended early.
    private(set) var end: String?

    /// Reads bytes in chunks that end at the positions `cuts`, in ascending order.
    init(_ bytes: [UInt8], cuts: [Int], maxRecordBytes: Int = 1 << 20) {
        var reader = RecordingReader(file: "f", maxRecordBytes: maxRecordBytes)
        do {
            var start = 0
            for cut in cuts + [bytes.count] where cut <= bytes.count && cut >= start {
                try reader.read(bytes[start..<cut].span) { take($0) }
                start = cut
            }
            try reader.finish { take($0) }
        } catch {
            end = "\(error)"
        }
    }

    private var summary: String { "\(exchanges.count) \(errors) end: \(end ?? "none")" }

    private mutating func take(_ element: RecordingReader.Element) {
        switch element {
        case .success(let exchange): exchanges.append(exchange)
        case .failure(let error): errors.append(error)
        }
    }

    /// Reads bytes in chunks of a size that the input chooses, and compares the result with that of
    /// reading all of them at once.
    ///
    /// How much of a damaged file a decoder returns before it fails depends on the chunks. With
    /// libzstd, so does whether it fails: it checks the size of an empty frame only if it receives
    /// the whole frame. In this case, one result must begin with the records of the other.
    static func check(
        _ bytes: [UInt8],
        _ input: inout FuzzInput,
        mayBeDamaged: Bool = false
    ) -> RecordingOutcome {
        let whole = RecordingOutcome(bytes, cuts: [])
        let step = 1 + input.below(64)
        let cuts = Array(stride(from: input.below(64), to: bytes.count, by: step))
        let cut = RecordingOutcome(bytes, cuts: cuts)
        let isSame = cut == whole
        let isDamaged =
            mayBeDamaged && (cut.end != nil || whole.end != nil)
            && zip(cut.exchanges, whole.exchanges).allSatisfy { $0 == $1 }
        require(
            isSame || isDamaged,
            "the result depends on chunks: \(cut.summary), whole: \(whole.summary)"
        )
        return whole
    }
}
