// SPDX-License-Identifier: MIT

import CSimdjsonShims
import Testing

@testable import TaplineJSON

/// The parser reads an undocumented index of simdjson, so the library is checked before use.
@Suite struct LibraryCheckTests {
    private static let index: [UInt32] = [
        0, 1, 4, 5, 6, 7, 8, 15, 16, 27, 28, 29, 40, 41, 43, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58,
        59, 126, 127, 131, 134, 137, 139, 143, 144, 146, 147, 150,
    ]

    private static func isAccepted(_ index: [UInt32]) -> Bool {
        unsafe tapline_json_is_sample_index(index, index.count)
    }

    @Test func acceptsEveryImplementationOfTheLibrary() {
        #expect(tapline_json_fits())
        #expect(tapline_json_failing_kernels() == 0)
    }

    @Test func rejectsADifferentIndex() {
        #expect(Self.isAccepted(Self.index))
        #expect(!Self.isAccepted([]))
        #expect(!Self.isAccepted(Self.index.dropLast()))
        #expect(!Self.isAccepted(Self.index + [152]))
        for place in Self.index.indices {
            var other = Self.index
            other[place] += 1
            #expect(!Self.isAccepted(other))
        }
    }

    @Test func tokensHaveTheLayoutOfC() {
        #expect(JSONToken.hasLayoutOfC)
    }

    @Test func reportsAnUnsupportedLibrary() {
        let error = JSONError(code: .unknownLibrary, offset: 0)
        #expect(error.message == "the loaded simdjson library is not supported")
    }
}
