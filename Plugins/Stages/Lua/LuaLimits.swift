// SPDX-License-Identifier: MIT

/// The limits of one call of a hook and of a script's memory.
package struct LuaLimits: Sendable, Equatable {
    /// The bytes of memory that a script's state may use.
    package var memory: Int
    /// The instructions of one call, counted in steps of about 1,000.
    package var instructions: Int
    /// The time of one call, checked at least every 1,000 instructions and when the call ends.
    package var time: Duration
    /// The entries with keys other than 1 to n that one table may have.
    package var table: Int

    /// Creates limits; the defaults are far above what a typical script needs.
    package init(
        memory: Int = 32 << 20,
        instructions: Int = 10_000_000,
        time: Duration = .seconds(1),
        table: Int = 16_384
    ) {
        self.memory = memory
        self.instructions = instructions
        self.time = time
        self.table = table
    }

    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = time.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = whole.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        return overflow || carry ? .max : sum
    }
}
