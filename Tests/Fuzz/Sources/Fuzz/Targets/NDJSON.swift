// SPDX-License-Identifier: MIT

import TaplineFormats

/// NDJSON: any line is a record or an error; a record is unchanged after writing and reading.
func fuzzNDJSON(_ input: inout FuzzInput) {
    let bytes = input.whole
    var reader = NDJSONReader()
    do throws(RecordError) {
        RoundTrip.checkNDJSON(try reader.read(bytes.span))
    } catch {
        require(error.byte >= 0 && error.byte <= bytes.count, "the place is out of bounds")
    }
}
