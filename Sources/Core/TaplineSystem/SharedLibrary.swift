// SPDX-License-Identifier: MIT

internal import Synchronization

/// A library of the system that is loaded when a component first needs it.
///
/// **Isolation**: any thread.
package final class SharedLibrary: Sendable {
    /// Loads the library, as `tapline_load` of `CLoading` does: returns whether that succeeds, and
    /// writes the reason if not.
    package typealias Loading = @Sendable (_ reason: inout [CChar]) -> Bool

    private let file: String
    private let loading: Loading
    private let isLoaded = Mutex(false)

    /// Names a library; nothing is loaded yet.
    ///
    /// - Parameters:
    ///   - file: The name of its file with the version of its interface: `libnats.so.3.4`.
    ///   - loading: Loads it.
    package init(_ file: String, _ loading: @escaping Loading) {
        self.file = file
        self.loading = loading
    }

    /// Loads the library, unless it is loaded.
    ///
    /// **Throws**: the reason. The next call tries again, since the library may be installed in the
    /// meantime.
    package func load() throws(LibraryError) {
        let problem = isLoaded.withLock { isLoaded -> LibraryError? in
            if isLoaded { return nil }
            var reason = [CChar](repeating: 0, count: 512)
            isLoaded = loading(&reason)
            return isLoaded ? nil : LibraryError(file: file, reason)
        }
        if let problem { throw problem }
    }
}

/// The error of a library that cannot be loaded.
package struct LibraryError: Error, Sendable, Equatable, CustomStringConvertible {
    private let file: String
    private let reason: String

    /// - Parameters:
    ///   - file: The name of the library's file.
    ///   - reason: The reason of the dynamic linker, up to the first zero byte.
    init(file: String, _ reason: [CChar]) {
        self.file = file
        let bytes = reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let text = String(decoding: bytes, as: UTF8.self)
        self.reason = text.hasPrefix("\(file): ") ? String(text.dropFirst(file.count + 2)) : text
    }

    package var description: String { "cannot load the library \(file): \(reason)" }

    /// What helps, on Debian, whose packages have the names of libraries (policy manual, 8.1).
    package var help: String {
        "install it; on Debian: apt install \(file.replacing(".so.", with: "", maxReplacements: 1))"
    }
}
