// SPDX-License-Identifier: MIT

internal import TaplineMatching
internal import TaplineModel

/// The decoded options of `client_replay` for sessions and tokens.
struct SessionSettings: Sendable {
    /// What makes a session.
    var key = SessionKey.automatic
    /// Whether tokens are found in the recording, unless the map file has them.
    var findsTokens = true
    /// The bindings of the map file; `nil` if there is none.
    var bindings: [TokenBinding]?
    /// The file that is written with what was found; `nil` for none.
    var newMapFile: String?
    /// What is sent in the place of masks.
    var substitutes: [TokenSubstitute] = []
    var masks = MaskedValues.standard

    /// What makes a session at a pace.
    ///
    /// Requests that come at a rate do not wait for others of their connection.
    func key(at pace: ReplaySchedule.Pace) -> SessionKey {
        switch pace {
        case .constant, .ramp: key.isAutomatic ? .tokens : key
        case .recorded, .max: key
        }
    }

    /// Whether all masks of a request are known to be replaced when it is sent, or may be: those of
    /// cookies that the server of the replay may have set.
    func replacesMasks(at places: [ValuePlace], of recorded: borrowing Request) -> Bool {
        for place in places {
            if case .cookie = place.part { continue }
            var isReplaced = false
            for substitute in substitutes where substitute.covers(place, of: recorded) {
                isReplaced = true
            }
            guard isReplaced else { return false }
        }
        return true
    }
}
