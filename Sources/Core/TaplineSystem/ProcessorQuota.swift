// SPDX-License-Identifier: MIT

/// How much processor time the process may use: all processors, or less in a limited cgroup.
package enum ProcessorQuota {
    /// The number of processors whose time the process may use, such as 1.5.
    ///
    /// Read from files, so not for every exchange.
    package static var processors: Double {
        let all = Double(Processors.available)
        guard let groups = KernelFile.text(of: "/proc/self/cgroup"),
            let group = path(in: groups)
        else { return all }
        var (folder, least) = ("/sys/fs/cgroup" + (group == "/" ? "" : group), all)
        // A group is also limited by each group that contains it.
        while folder.hasPrefix("/sys/fs/cgroup") {
            if let quota = KernelFile.text(of: folder + "/cpu.max").flatMap(quota) {
                least = min(least, quota)
            }
            folder = FileSystem.folder(of: folder)
        }
        return least
    }

    /// Returns the group's path in `/proc/self/cgroup` (cgroups(7), version 2).
    static func path(in groups: String) -> String? {
        groups.split(separator: "\n").first { $0.hasPrefix("0::/") }.map { String($0.dropFirst(3)) }
    }

    /// Returns the processors that `cpu.max` allows: `max 100000`, or `150000 100000` for 1.5.
    static func quota(_ text: String) -> Double? {
        let words = text.split { $0 == " " || $0 == "\n" }
        guard words.count == 2, let time = Double(words[0]), let period = Double(words[1]),
            time > 0, time.isFinite, period > 0, period.isFinite
        else { return nil }
        return time / period
    }
}
