// SPDX-License-Identifier: MIT

extension Duration {
    /// Creates the same duration.
    public init(_ time: Microseconds) { self = .microseconds(time.count) }
}

// Times of exchanges are compared with those of the app without a conversion.
extension Microseconds {
    /// Whether both are equally long.
    public static func == (left: Microseconds, right: Duration) -> Bool { Duration(left) == right }

    /// Whether both are equally long.
    public static func == (left: Duration, right: Microseconds) -> Bool { left == Duration(right) }

    /// Whether they differ.
    public static func != (left: Microseconds, right: Duration) -> Bool { Duration(left) != right }

    /// Whether they differ.
    public static func != (left: Duration, right: Microseconds) -> Bool { left != Duration(right) }

    /// Whether the first is shorter.
    public static func < (left: Microseconds, right: Duration) -> Bool { Duration(left) < right }

    /// Whether the first is shorter.
    public static func < (left: Duration, right: Microseconds) -> Bool { left < Duration(right) }

    /// Whether the first is not longer.
    public static func <= (left: Microseconds, right: Duration) -> Bool { Duration(left) <= right }

    /// Whether the first is not longer.
    public static func <= (left: Duration, right: Microseconds) -> Bool { left <= Duration(right) }

    /// Whether the first is longer.
    public static func > (left: Microseconds, right: Duration) -> Bool { Duration(left) > right }

    /// Whether the first is longer.
    public static func > (left: Duration, right: Microseconds) -> Bool { left > Duration(right) }

    /// Whether the first is not shorter.
    public static func >= (left: Microseconds, right: Duration) -> Bool { Duration(left) >= right }

    /// Whether the first is not shorter.
    public static func >= (left: Duration, right: Microseconds) -> Bool { left >= Duration(right) }
}
