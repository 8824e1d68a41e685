// SPDX-License-Identifier: MIT

import FuzzSupport
import TaplineFormats

/// NDJSON: any line is a record or an error; a record is unchanged after writing and reading.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNDJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe FuzzInput.run(start, count) { input in
        let bytes = input.whole
        var reader = NDJSONReader()
        do throws(RecordError) {
            RoundTrip.checkNDJSON(try reader.read(bytes.span))
        } catch {
            require(error.byte >= 0 && error.byte <= bytes.count, "the place is out of bounds")
        }
    }
}
