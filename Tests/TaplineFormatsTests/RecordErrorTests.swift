// SPDX-License-Identifier: MIT

import TaplineFormats
import Testing

@Suite struct RecordErrorTests {
    @Test func describesPlaceAndProblem() {
        var error = RecordError(code: .wrongShape, message: "missing key 'v'", byte: 7)
        #expect("\(error)" == "missing key 'v' (byte 7)")
        error.file = "a.ndjson"
        #expect("\(error)" == "a.ndjson: missing key 'v' (byte 7)")
        error.line = 3
        #expect("\(error)" == "a.ndjson:3: missing key 'v' (byte 7)")
    }
}
