// SPDX-License-Identifier: MIT

import CLoading
import Synchronization
import Testing

@testable import TaplineSystem

@Suite("Libraries that are loaded when they are needed")
struct SharedLibraryTests {
    /// Loads functions of a library; returns the reason if that fails, and how many addresses are set.
    private func load(
        _ library: String,
        _ names: [StaticString],
        room: Int = 200
    ) -> (reason: String?, set: Int) {
        let addresses = UnsafeMutableBufferPointer<UnsafeMutableRawPointer?>.allocate(
            capacity: names.count
        )
        defer { unsafe addresses.deallocate() }
        unsafe addresses.initialize(repeating: nil)
        let functions = unsafe names.enumerated().map { index, name in
            let text = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
            let address = unsafe addresses.baseAddress?.advanced(by: index)
            return unsafe tapline_function(name: text, address: address)
        }
        var reason = [CChar](repeating: 1, count: room)
        let isLoaded = unsafe tapline_load(library, functions, functions.count, &reason, room)
        let set = (0..<names.count).count { unsafe addresses[$0] != nil }
        let text = reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return (isLoaded ? nil : String(decoding: text, as: UTF8.self), set)
    }

    @Test("a library has its functions")
    func loads() {
        let (reason, set) = load("libm.so.6", ["cos", "sin"])
        #expect(reason == nil && set == 2)
    }

    @Test("a missing library and a missing function are named, and no address is set")
    func missing() {
        let (library, none) = load("libtapline-none.so.1", ["cos"])
        #expect(library?.contains("libtapline-none.so.1: cannot open") == true && none == 0)
        let (function, first) = load("libm.so.6", ["cos", "tapline_none"])
        #expect(function?.contains("undefined symbol: tapline_none") == true && first == 0)
        #expect(load("libtapline-none.so.1", [], room: 8).reason == "libtapl")
    }

    @Test("a library that failed to load is tried again, and one that is loaded is not")
    func again() throws {
        let results = Mutex([true, false])
        let library = SharedLibrary("libthing.so.2") { reason in
            reason.replaceSubrange(0..<4, with: [110, 111, 33, 0])
            return results.withLock { $0.removeLast() }
        }
        let error = #expect(throws: LibraryError.self) { try library.load() }
        #expect(error?.description == "cannot load the library libthing.so.2: no!")
        #expect(error?.help == "install it; on Debian: apt install libthing2")
        try library.load()
        try library.load()
        #expect(results.withLock { $0.isEmpty })
    }

    @Test("the name of the library is not repeated")
    func reason() {
        let error = LibraryError(file: "liba.so.1", "liba.so.1: cannot open".utf8CString.map { $0 })
        #expect(error.description == "cannot load the library liba.so.1: cannot open")
    }
}
