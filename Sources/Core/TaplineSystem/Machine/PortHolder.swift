// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The process that listens on a TCP port.
///
/// **Source**: proc_pid_net(5), proc_pid_fd(5). Descriptors of other users' processes are readable
/// by root only.
package struct PortHolder: Sendable, Hashable {
    /// The process id.
    package let process: Int32
    /// The name of the program, in at most 15 bytes; may be empty.
    package let name: String

    /// Creates a description.
    package init(process: Int32, name: String) {
        self.process = process
        self.name = name
    }

    /// Returns the process that listens on a port at any address; `nil` if the system does not tell.
    package static func find(port: UInt16) -> PortHolder? {
        let tables = ["/proc/net/tcp", "/proc/net/tcp6"].compactMap {
            KernelFile.text(of: $0, maxBytes: 4 << 20)
        }
        let targets = Set(
            tables.flatMap { inodes(listeningOn: port, in: $0) }.map { "socket:[\($0)]" }
        )
        guard !targets.isEmpty, let names = try? FileSystem.names(in: "/proc") else { return nil }
        for process in names.compactMap({ Int32($0) }).sorted() {
            let folder = "/proc/\(process)/fd"
            // Processes of other users, and those that have ended meanwhile, have no list.
            guard let descriptors = try? FileSystem.names(in: folder) else { continue }
            for descriptor in descriptors {
                guard let target = link("\(folder)/\(descriptor)"), targets.contains(target) else {
                    continue
                }
                let name = KernelFile.text(of: "/proc/\(process)/comm", maxBytes: 64) ?? ""
                return PortHolder(process: process, name: String(name.prefix { $0 != "\n" }))
            }
        }
        return nil
    }

    /// Returns the inodes of the sockets that listen on a port, from the kernel's table of sockets.
    static func inodes(listeningOn port: UInt16, in table: String) -> [UInt64] {
        table.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 10)
            // The tenth word is the inode, and 0A the state `LISTEN`.
            guard words.count >= 10, words[3] == "0A",
                let colon = words[1].lastIndex(of: ":"),
                UInt16(words[1][words[1].index(after: colon)...], radix: 16) == port,
                let inode = UInt64(words[9]), inode != 0
            else { return nil }
            return inode
        }
    }

    /// Returns the target of a symbolic link (readlink(2)).
    private static func link(_ path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: 256)
        let count = unsafe readlink(path, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return String(
            decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) },
            as: UTF8.self
        )
    }
}
