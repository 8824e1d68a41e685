// SPDX-License-Identifier: MIT

internal import CUV
internal import TaplineModel
internal import TaplineSystem

/// The names in the hosts file (hosts(5)), which is read again when it has changed.
///
/// c-ares would read the whole file for each lookup, and block the loop.
struct HostsFile {
    /// The maximum number of bytes that are read.
    private static let maxBytes = 64 << 20

    private struct Entry {
        let ip: IPAddress
        /// The next address of the same name; negative for the last one.
        let next: Int32
    }

    private let path: String
    private var mark: [UInt64] = []
    private var entries: [Entry] = []
    /// The index of a name's first address, which is the last one of the file.
    private var heads: [String: Int32] = [:]

    init(_ path: String) { self.path = path }

    /// Returns the addresses of a lower-case name; `nil` if it is not in the file.
    ///
    /// `localhost` and its subdomains always resolve to this machine (RFC 6761 §6.3).
    mutating func addresses(of name: String) -> [SocketAddress]? {
        readIfChanged()
        let name = name.hasSuffix(".") ? String(name.dropLast()) : name
        var found: [IPAddress] = []
        var next = heads[name] ?? -1
        while next >= 0 {
            let entry = entries[Int(next)]
            if !found.contains(entry.ip) { found.append(entry.ip) }
            next = entry.next
        }
        if found.isEmpty {
            guard name == "localhost" || name.hasSuffix(".localhost") else { return nil }
            found = [.loopbackV4, .loopbackV6]
        }
        // In the order of the file, except that ::1 comes before 127.0.0.1 (RFC 6724 §2.1).
        let ordered = found.reversed()
        let first = ordered.filter { $0 == .loopbackV6 } + ordered.filter { $0 != .loopbackV6 }
        return first.map { SocketAddress($0, port: 0) }
    }

    private mutating func readIfChanged() {
        let found = unsafe tapline_uv_file_mark(path)
        let now = [found.number, found.size, found.seconds, found.nanoseconds]
        guard mark != now else { return }
        mark = now
        entries = []
        heads = [:]
        guard let bytes = try? content() else { return }
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: .ascii("\n")) ?? bytes.count
            read(bytes[start..<end])
            start = end + 1
        }
    }

    private func content() throws(FileError) -> [UInt8] {
        let file = try File(path, for: .read)
        var bytes: [UInt8] = []
        while bytes.count < Self.maxBytes {
            guard try file.read(appendingTo: &bytes, atMost: 1 << 16) > 0 else { break }
        }
        return bytes
    }

    /// Parses one line: an address, and names after it.
    private mutating func read(_ line: ArraySlice<UInt8>) {
        let text = line.prefix { $0 != .ascii("#") }
        let words = text.split { $0 <= 0x20 }
        guard let first = words.first, words.count > 1,
            let ip = IPAddress(String(decoding: first, as: UTF8.self))
        else { return }
        for word in words.dropFirst() {
            guard let number = Int32(exactly: entries.count) else { return }
            let name = String(decoding: word, as: UTF8.self).lowercased()
            entries.append(Entry(ip: ip, next: heads[name] ?? -1))
            heads[name] = number
        }
    }
}
