// SPDX-License-Identifier: MIT

internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The class of `URLSession.shared`.
///
/// Foundation asks registered classes for any session whose own classes accept none of its
/// requests.
final class SharedProtocol: CapturingProtocol {
    override class var slot: TapSlot { .shared }

    override class func captures(_ task: URLSessionTask) -> Bool {
        FoundationTask.session(of: task).map { $0 === URLSession.shared } ?? true
    }
}

/// The class of requests that a stage has changed: they are already captured, and guarded like
/// others.
final class SubstituteRequestProtocol: CapturingProtocol {
    override class var slot: TapSlot { .none }
    override class var isWanted: Bool { true }
    override class func captures(_ task: URLSessionTask) -> Bool { false }
}

/// The class of a tap for which none of the others is left.
private final class UnassignedProtocol: CapturingProtocol {
    override class var slot: TapSlot { .none }
}

/// The protocol classes of taps.
///
/// Foundation creates protocol objects from a class alone, and sessions keep the class for their
/// lifetime. Therefore no two taps that exist at the same time may share one.
enum TapProtocols {
    /// The classes; their number is the most taps that are in use at once.
    static let all: [CapturingProtocol.Type] = [
        TapProtocol0.self, TapProtocol1.self, TapProtocol2.self, TapProtocol3.self,
        TapProtocol4.self, TapProtocol5.self, TapProtocol6.self, TapProtocol7.self,
        TapProtocol8.self, TapProtocol9.self, TapProtocol10.self, TapProtocol11.self,
        TapProtocol12.self, TapProtocol13.self, TapProtocol14.self, TapProtocol15.self,
        TapProtocol16.self, TapProtocol17.self, TapProtocol18.self, TapProtocol19.self,
        TapProtocol20.self, TapProtocol21.self, TapProtocol22.self, TapProtocol23.self,
        TapProtocol24.self, TapProtocol25.self, TapProtocol26.self, TapProtocol27.self,
        TapProtocol28.self, TapProtocol29.self, TapProtocol30.self, TapProtocol31.self,
        TapProtocol32.self, TapProtocol33.self, TapProtocol34.self, TapProtocol35.self,
        TapProtocol36.self, TapProtocol37.self, TapProtocol38.self, TapProtocol39.self,
        TapProtocol40.self, TapProtocol41.self, TapProtocol42.self, TapProtocol43.self,
        TapProtocol44.self, TapProtocol45.self, TapProtocol46.self, TapProtocol47.self,
        TapProtocol48.self, TapProtocol49.self, TapProtocol50.self, TapProtocol51.self,
        TapProtocol52.self, TapProtocol53.self, TapProtocol54.self, TapProtocol55.self,
        TapProtocol56.self, TapProtocol57.self, TapProtocol58.self, TapProtocol59.self,
        TapProtocol60.self, TapProtocol61.self, TapProtocol62.self, TapProtocol63.self,
    ]

    /// Returns the class of a tap.
    static func type(of slot: TapSlot) -> CapturingProtocol.Type {
        switch slot {
        case .app: CapturingProtocol.self
        case .shared: SharedProtocol.self
        case .numbered(let number): all[number]
        case .none: UnassignedProtocol.self
        }
    }
}

private final class TapProtocol0: CapturingProtocol {
    override class var slot: TapSlot { .numbered(0) }
}
private final class TapProtocol1: CapturingProtocol {
    override class var slot: TapSlot { .numbered(1) }
}
private final class TapProtocol2: CapturingProtocol {
    override class var slot: TapSlot { .numbered(2) }
}
private final class TapProtocol3: CapturingProtocol {
    override class var slot: TapSlot { .numbered(3) }
}
private final class TapProtocol4: CapturingProtocol {
    override class var slot: TapSlot { .numbered(4) }
}
private final class TapProtocol5: CapturingProtocol {
    override class var slot: TapSlot { .numbered(5) }
}
private final class TapProtocol6: CapturingProtocol {
    override class var slot: TapSlot { .numbered(6) }
}
private final class TapProtocol7: CapturingProtocol {
    override class var slot: TapSlot { .numbered(7) }
}
private final class TapProtocol8: CapturingProtocol {
    override class var slot: TapSlot { .numbered(8) }
}
private final class TapProtocol9: CapturingProtocol {
    override class var slot: TapSlot { .numbered(9) }
}
private final class TapProtocol10: CapturingProtocol {
    override class var slot: TapSlot { .numbered(10) }
}
private final class TapProtocol11: CapturingProtocol {
    override class var slot: TapSlot { .numbered(11) }
}
private final class TapProtocol12: CapturingProtocol {
    override class var slot: TapSlot { .numbered(12) }
}
private final class TapProtocol13: CapturingProtocol {
    override class var slot: TapSlot { .numbered(13) }
}
private final class TapProtocol14: CapturingProtocol {
    override class var slot: TapSlot { .numbered(14) }
}
private final class TapProtocol15: CapturingProtocol {
    override class var slot: TapSlot { .numbered(15) }
}
private final class TapProtocol16: CapturingProtocol {
    override class var slot: TapSlot { .numbered(16) }
}
private final class TapProtocol17: CapturingProtocol {
    override class var slot: TapSlot { .numbered(17) }
}
private final class TapProtocol18: CapturingProtocol {
    override class var slot: TapSlot { .numbered(18) }
}
private final class TapProtocol19: CapturingProtocol {
    override class var slot: TapSlot { .numbered(19) }
}
private final class TapProtocol20: CapturingProtocol {
    override class var slot: TapSlot { .numbered(20) }
}
private final class TapProtocol21: CapturingProtocol {
    override class var slot: TapSlot { .numbered(21) }
}
private final class TapProtocol22: CapturingProtocol {
    override class var slot: TapSlot { .numbered(22) }
}
private final class TapProtocol23: CapturingProtocol {
    override class var slot: TapSlot { .numbered(23) }
}
private final class TapProtocol24: CapturingProtocol {
    override class var slot: TapSlot { .numbered(24) }
}
private final class TapProtocol25: CapturingProtocol {
    override class var slot: TapSlot { .numbered(25) }
}
private final class TapProtocol26: CapturingProtocol {
    override class var slot: TapSlot { .numbered(26) }
}
private final class TapProtocol27: CapturingProtocol {
    override class var slot: TapSlot { .numbered(27) }
}
private final class TapProtocol28: CapturingProtocol {
    override class var slot: TapSlot { .numbered(28) }
}
private final class TapProtocol29: CapturingProtocol {
    override class var slot: TapSlot { .numbered(29) }
}
private final class TapProtocol30: CapturingProtocol {
    override class var slot: TapSlot { .numbered(30) }
}
private final class TapProtocol31: CapturingProtocol {
    override class var slot: TapSlot { .numbered(31) }
}
private final class TapProtocol32: CapturingProtocol {
    override class var slot: TapSlot { .numbered(32) }
}
private final class TapProtocol33: CapturingProtocol {
    override class var slot: TapSlot { .numbered(33) }
}
private final class TapProtocol34: CapturingProtocol {
    override class var slot: TapSlot { .numbered(34) }
}
private final class TapProtocol35: CapturingProtocol {
    override class var slot: TapSlot { .numbered(35) }
}
private final class TapProtocol36: CapturingProtocol {
    override class var slot: TapSlot { .numbered(36) }
}
private final class TapProtocol37: CapturingProtocol {
    override class var slot: TapSlot { .numbered(37) }
}
private final class TapProtocol38: CapturingProtocol {
    override class var slot: TapSlot { .numbered(38) }
}
private final class TapProtocol39: CapturingProtocol {
    override class var slot: TapSlot { .numbered(39) }
}
private final class TapProtocol40: CapturingProtocol {
    override class var slot: TapSlot { .numbered(40) }
}
private final class TapProtocol41: CapturingProtocol {
    override class var slot: TapSlot { .numbered(41) }
}
private final class TapProtocol42: CapturingProtocol {
    override class var slot: TapSlot { .numbered(42) }
}
private final class TapProtocol43: CapturingProtocol {
    override class var slot: TapSlot { .numbered(43) }
}
private final class TapProtocol44: CapturingProtocol {
    override class var slot: TapSlot { .numbered(44) }
}
private final class TapProtocol45: CapturingProtocol {
    override class var slot: TapSlot { .numbered(45) }
}
private final class TapProtocol46: CapturingProtocol {
    override class var slot: TapSlot { .numbered(46) }
}
private final class TapProtocol47: CapturingProtocol {
    override class var slot: TapSlot { .numbered(47) }
}
private final class TapProtocol48: CapturingProtocol {
    override class var slot: TapSlot { .numbered(48) }
}
private final class TapProtocol49: CapturingProtocol {
    override class var slot: TapSlot { .numbered(49) }
}
private final class TapProtocol50: CapturingProtocol {
    override class var slot: TapSlot { .numbered(50) }
}
private final class TapProtocol51: CapturingProtocol {
    override class var slot: TapSlot { .numbered(51) }
}
private final class TapProtocol52: CapturingProtocol {
    override class var slot: TapSlot { .numbered(52) }
}
private final class TapProtocol53: CapturingProtocol {
    override class var slot: TapSlot { .numbered(53) }
}
private final class TapProtocol54: CapturingProtocol {
    override class var slot: TapSlot { .numbered(54) }
}
private final class TapProtocol55: CapturingProtocol {
    override class var slot: TapSlot { .numbered(55) }
}
private final class TapProtocol56: CapturingProtocol {
    override class var slot: TapSlot { .numbered(56) }
}
private final class TapProtocol57: CapturingProtocol {
    override class var slot: TapSlot { .numbered(57) }
}
private final class TapProtocol58: CapturingProtocol {
    override class var slot: TapSlot { .numbered(58) }
}
private final class TapProtocol59: CapturingProtocol {
    override class var slot: TapSlot { .numbered(59) }
}
private final class TapProtocol60: CapturingProtocol {
    override class var slot: TapSlot { .numbered(60) }
}
private final class TapProtocol61: CapturingProtocol {
    override class var slot: TapSlot { .numbered(61) }
}
private final class TapProtocol62: CapturingProtocol {
    override class var slot: TapSlot { .numbered(62) }
}
private final class TapProtocol63: CapturingProtocol {
    override class var slot: TapSlot { .numbered(63) }
}
