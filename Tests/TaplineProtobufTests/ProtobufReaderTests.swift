// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineProtobuf
import TestSupport
import Testing

@Suite struct ProtobufReaderTests {
    private func fields(_ bytes: [UInt8], depth: Int = 8) throws(ProtobufError) -> [ProtobufField] {
        var reader = ProtobufReader(0..<bytes.count, maxDepth: depth)
        var found: [ProtobufField] = []
        while let field = try reader.next(in: bytes.span) { found.append(field) }
        return found
    }

    @Test func fieldsAreReadWithTheirRanges() throws {
        let bytes: [UInt8] = [
            0x08, 0x96, 0x01, 0x12, 0x02, 0x68, 0x69, 0x1D, 1, 0, 0, 0, 0x21, 2, 0, 0, 0, 0, 0, 0,
            0,
            0x2B, 0x08, 0x01, 0x2C,
        ]
        let found = try fields(bytes)
        #expect(found.map(\.number) == [1, 2, 3, 4, 5])
        #expect(found.map(\.wireType) == [.varint, .lengthDelimited, .fixed32, .fixed64, .group])
        #expect(found.map(\.bits) == [150, 0, 1, 2, 0])
        #expect(found.map(\.value) == [1..<3, 5..<7, 8..<12, 13..<21, 22..<24])
        #expect(found.map(\.range.upperBound) == [3, 7, 12, 21, 25])
    }

    @Test(
        arguments: [
            ([0x08], "truncated at byte 1"), ([0x08, 0x80], "truncated at byte 1"),
            ([0x12, 0x05, 0x61], "truncated at byte 0"), ([0x0D, 0, 0, 0], "truncated at byte 0"),
            ([0x09, 0, 0, 0], "truncated at byte 0"), ([0x00, 0x01], "invalid_tag at byte 0"),
            ([0x0E], "invalid_tag at byte 0"), ([0x0F], "invalid_tag at byte 0"),
            ([0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 0], "invalid_tag at byte 0"),
            ([0x08] + [UInt8](repeating: 0xFF, count: 11), "long_varint at byte 1"),
            ([0x0C], "unbalanced_group at byte 0"), ([0x0B, 0x14], "unbalanced_group at byte 1"),
            ([0x0B], "truncated at byte 0"),
            (
                [0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
                "truncated at byte 0"
            ),
        ] as [([UInt8], String)]
    )
    func damagedMessagesAreErrors(bytes: [UInt8], problem: String) {
        #expect {
            _ = try fields(bytes)
        } throws: { "\($0)" == problem }
        let isRead = ProtobufReader.reads(bytes.span, 0..<bytes.count)
        #expect(!isRead)
    }

    @Test func bitsBeyondThe64thAreDropped() throws {
        let bytes: [UInt8] = [0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x7F]
        #expect(try fields(bytes).first?.bits == UInt64.max)
    }

    @Test func groupsAreAsDeepAsTheLimit() throws {
        func nested(_ depth: Int) -> [UInt8] {
            [UInt8](repeating: 0x0B, count: depth) + [UInt8](repeating: 0x0C, count: depth)
        }
        #expect(try fields(nested(8)).count == 1)
        #expect {
            _ = try fields(nested(9))
        } throws: { ($0 as? ProtobufError)?.code == .tooDeep }
        let deep = nested(100_000)
        let isRead = ProtobufReader.reads(deep.span, 0..<deep.count)
        #expect(!isRead)
    }

    @Test func anyBytesAreReadWithoutATrap() {
        var random = Random(seed: 25)
        for _ in 0..<5_000 {
            let bytes = random.bytes(upTo: 40)
            _ = try? fields(bytes)
            var view = ProtobufView()
            let found = view.json(bytes.span)
            #expect(!found.isEmpty)
            _ = try? ProtobufSchema(bytes.span)
        }
    }
}
