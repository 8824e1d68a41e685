// SPDX-License-Identifier: MIT

// Functions with which the script libraries use Tapline's shared parsers and writers. C calls them
// under the contract of `CLuaFunctions.h`: they never raise a Lua error.

internal import CLuaShims
internal import TaplineModel

extension tapline_lua_functions {
    /// Creates the Swift functions of a state, for a script with these words.
    ///
    /// The words must live as long as the state.
    init(_ words: ScriptIdentifiers) {
        unsafe self.init()
        unsafe setMessageFunctions(words)
        unsafe setURLFunctions()
        unsafe setURIFunctions()
        unsafe setQueryFunctions()
        unsafe setContentFunctions()
        unsafe setFieldFunctions()
        unsafe setBase64Functions()
        unsafe setTimeFunctions()
        unsafe setHashFunctions()
        unsafe setJSONFunctions()
    }
}

extension tapline_lua_bytes {
    /// The bytes in a range of offsets.
    @unsafe
    subscript(range: Range<Int>) -> tapline_lua_bytes {
        unsafe tapline_lua_bytes(
            bytes: bytes.map { unsafe $0 + range.lowerBound },
            count: range.count
        )
    }
}

extension [UInt8] {
    /// Copies the bytes into the buffer provided by C; returns their number.
    @unsafe
    func copy(to room: UnsafeMutablePointer<UInt8>?) -> Int {
        guard let room = unsafe room else { return 0 }
        unsafe UnsafeMutableRawPointer(room).copyMemory(from: self, byteCount: count)
        return count
    }
}

extension UnsafeMutablePointer<UInt8> {
    /// Writes to a buffer of `capacity` bytes provided by C; returns the number of bytes written.
    @unsafe
    func write(upTo capacity: Int, _ body: (inout OutputSpan<UInt8>) -> Void) -> Int {
        let buffer = unsafe UnsafeMutableBufferPointer(start: self, count: capacity)
        var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
        body(&output)
        return unsafe output.finalize(for: buffer)
    }
}

extension Span where Element == UInt8 {
    /// Copies the bytes into the buffer provided by C; returns their number.
    @unsafe
    func copy(to room: UnsafeMutablePointer<UInt8>) -> Int {
        unsafe withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            unsafe UnsafeMutableRawPointer(room).copyMemory(from: start, byteCount: bytes.count)
        }
        return count
    }
}
