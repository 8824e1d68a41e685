// SPDX-License-Identifier: MIT

extension Component {
    /// The limits of the whole pipeline, at most once in a tap; they belong to no stage and no
    /// sink.
    ///
    /// - Parameters:
    ///   - memory: The most captured bytes in memory, above which bodies are counted but not
    ///     stored; by default 512 MiB.
    ///   - drainTimeout: How long a stopped tap may write pending exchanges; by default 10 s.
    ///   - spill: The folder for records that wait on disk; by default `TMPDIR` or `/var/tmp`.
    /// - Returns: The limits.
    public static func runtime(
        memory: Int? = nil,
        drainTimeout: Duration? = nil,
        spill: String? = nil
    ) -> Component {
        Component(.runtime, "runtime") { options in
            options.set("memory", memory.map(Value.bytes))
            options.set("drain_timeout", drainTimeout.map(Value.time))
            options.set("spill", spill.map(Value.text))
        }
    }
}
