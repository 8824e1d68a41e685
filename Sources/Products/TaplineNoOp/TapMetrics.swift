// SPDX-License-Identifier: MIT

/// The counters of a tap's components; there are none.
public struct TapMetrics: Sendable {
    /// The counters of one component; never created.
    public struct Component: Sendable {
        init() {}

        /// Always empty.
        public var kind: String { "" }
        /// Always empty.
        public var id: String { "" }
        /// Always empty.
        public var state: String { "" }
        /// Always 0.
        public var received: Int { 0 }
        /// Always 0.
        public var sent: Int { 0 }
        /// Always empty.
        public var dropped: [String: Int] { [:] }
        /// Always empty.
        public var errors: [String: Int] { [:] }
        /// Always 0.
        public var queued: Int { 0 }
        /// Always 0.
        public var receivedBytes: Int { 0 }
    }

    /// Always empty.
    public let components: [Component] = []
    /// Always 0.
    public let memory: Int = 0
    /// Always 0.
    public let peakMemory: Int = 0

    init() {}
}
