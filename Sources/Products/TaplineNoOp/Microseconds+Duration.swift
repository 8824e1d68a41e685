// SPDX-License-Identifier: MIT

extension Duration {
    /// Creates a duration of 0.
    public init(_ time: Microseconds) { self = .zero }
}

extension Microseconds {
    /// Always `false`.
    public static func == (left: Microseconds, right: Duration) -> Bool { false }

    /// Always `false`.
    public static func == (left: Duration, right: Microseconds) -> Bool { false }

    /// Always `false`.
    public static func != (left: Microseconds, right: Duration) -> Bool { false }

    /// Always `false`.
    public static func != (left: Duration, right: Microseconds) -> Bool { false }

    /// Always `false`.
    public static func < (left: Microseconds, right: Duration) -> Bool { false }

    /// Always `false`.
    public static func < (left: Duration, right: Microseconds) -> Bool { false }

    /// Always `false`.
    public static func <= (left: Microseconds, right: Duration) -> Bool { false }

    /// Always `false`.
    public static func <= (left: Duration, right: Microseconds) -> Bool { false }

    /// Always `false`.
    public static func > (left: Microseconds, right: Duration) -> Bool { false }

    /// Always `false`.
    public static func > (left: Duration, right: Microseconds) -> Bool { false }

    /// Always `false`.
    public static func >= (left: Microseconds, right: Duration) -> Bool { false }

    /// Always `false`.
    public static func >= (left: Duration, right: Microseconds) -> Bool { false }
}
