// SPDX-License-Identifier: MIT

extension Component {
    /// The limits of the whole pipeline, once in a tap; they belong to no stage and no sink.
    ///
    /// - Parameters:
    ///   - memory: The most captured bytes in memory, above which bodies are counted, not kept; 512 MiB
    ///     where it is left out.
    ///   - drainTimeout: How long a stopped tap may write what it has; 10 s where it is left out.
    ///   - spill: The folder for records that wait on the disk; `TMPDIR` or `/var/tmp` where it is
    ///     left out.
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
