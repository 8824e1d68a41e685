// SPDX-License-Identifier: MIT

/// How much memory the process's group may use (cgroups(7), version 2).
package enum MemoryQuota {
    /// The lowest limit of the group and of those that contain it, in bytes; `nil` if there is none.
    package static var bytes: Int? {
        guard let groups = KernelFile.text(of: "/proc/self/cgroup"),
            let group = ProcessorQuota.path(in: groups)
        else { return nil }
        var folder = "/sys/fs/cgroup" + (group == "/" ? "" : group)
        var least: Int?
        while folder.hasPrefix("/sys/fs/cgroup") {
            if let limit = KernelFile.text(of: folder + "/memory.max").flatMap(limit) {
                least = min(least ?? limit, limit)
            }
            folder = FileSystem.folder(of: folder)
        }
        return least
    }

    /// Returns the bytes that `memory.max` allows; `nil` for `max` and for other text.
    static func limit(_ text: String) -> Int? {
        let words = text.split { $0 == " " || $0 == "\n" }
        guard words.count == 1, let bytes = Int(words[0]), bytes > 0 else { return nil }
        return bytes
    }
}
