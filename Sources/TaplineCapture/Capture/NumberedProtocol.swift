// SPDX-License-Identifier: MIT

internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A number as a type, in binary, the last digit outermost.
private protocol Digits { static var value: Int { get } }
private enum One: Digits { static var value: Int { 1 } }
private enum Zero<Rest: Digits>: Digits { static var value: Int { Rest.value * 2 } }
private enum OneAfter<Rest: Digits>: Digits { static var value: Int { Rest.value * 2 + 1 } }

/// The class of `URLSession.shared`.
///
/// It is registered, and Foundation asks those that are for any session whose own classes take none of
/// its requests.
final class SharedProtocol: CapturingProtocol {
    override class var number: Int { Captures.shared }

    override class func captures(_ task: URLSessionTask) -> Bool {
        FoundationTask.session(of: task).map { $0 === URLSession.shared } ?? true
    }
}

/// The class of requests that a stage has changed: they are captured already, and guarded like others.
final class RelayedProtocol: CapturingProtocol {
    override class var isWanted: Bool { true }
    override class func captures(_ task: URLSessionTask) -> Bool { false }
}

/// The class of one tap.
private final class NumberedProtocol<Number: Digits>: CapturingProtocol {
    override class var number: Int { Number.value }
}

extension CapturingProtocol {
    /// A class of its own for the tap of a number, which is positive.
    ///
    /// Foundation makes protocol objects of a class and nothing else, and sessions keep it as long as
    /// they live: no two taps of a process may share one, and nobody knows how many taps there will
    /// be. So the runtime makes them, out of a type for each number.
    static func type(for number: Int) -> CapturingProtocol.Type {
        func numbered<Number: Digits>(_: Number.Type) -> CapturingProtocol.Type {
            NumberedProtocol<Number>.self
        }
        func appending<Rest: Digits>(_ bit: Int, to _: Rest.Type) -> any Digits.Type {
            bit == 0 ? Zero<Rest>.self : OneAfter<Rest>.self
        }
        precondition(number > 0, "no number of a tap")
        var digits: any Digits.Type = One.self
        for place in (0..<(Int.bitWidth - 1 - number.leadingZeroBitCount)).reversed() {
            digits = appending(number >> place & 1, to: digits)
        }
        return numbered(digits)
    }
}
