// SPDX-License-Identifier: MIT

import FuzzSupport
import TaplineFormats

/// NDJSON: any line is read or refused; what was read survives being written and read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNDJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe FuzzInput.run(start, count) { input in
        let bytes = input.whole
        var reader = NDJSONReader()
        do throws(RecordError) {
            RoundTrip.checkNDJSON(try reader.read(bytes.span))
        } catch {
            require(error.byte >= 0 && error.byte <= bytes.count, "a byte that is not there")
        }
    }
}
