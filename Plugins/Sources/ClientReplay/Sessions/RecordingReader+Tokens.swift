// SPDX-License-Identifier: MIT

internal import TaplineMatching
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineStore

extension RecordingReader {
    /// Returns the tokens of the map file, or else those that a pass over the recordings finds.
    ///
    /// - Parameter query: Chooses and sorts the exchanges.
    /// - Returns: The tokens.
    /// - Throws: If the recordings cannot be read, or the new map file cannot be written.
    func findTokens(_ query: StoreQuery) throws -> ReplayTokens {
        let sessions = settings.sessions
        var hasMasks = !sessions.substitutes.isEmpty
        if let bindings = sessions.bindings {
            figures.found(bindings.map { ($0.line, 0) })
            return ReplayTokens(map: TokenMap(bindings), hasMasks: hasMasks)
        }
        guard sessions.findsTokens else { return ReplayTokens(hasMasks: hasMasks) }
        var finder = TokenFinder(key: sessions.key, masks: sessions.masks)
        // Problems are reported when the requests are read.
        let stores = try StoreSet(settings.paths) { _ in }
        try stores.forEach(query) { finder.read($0.exchange) }
        let findings = finder.findings()
        if let file = sessions.newMapFile {
            try TokenMapFile.write(findings.bindings, to: file)
            log.info("\(file) was written: \(findings.bindings.count) tokens")
        }
        figures.found(zip(findings.bindings, findings.uses).map { ($0.line, $1) })
        if findings.forgotten > 0 {
            log.warning("\(findings.forgotten) values were forgotten; tokens may be missing")
        }
        hasMasks = hasMasks || !findings.masked.isEmpty
        return ReplayTokens(map: TokenMap(findings.bindings), hasMasks: hasMasks)
    }

    /// Returns the places of masks because of which a request cannot be sent.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - recorded: The recorded request.
    /// - Returns: The places, as far as they can be read; `nil` if the request can be sent.
    func fixedMasks(of request: borrowing Request, _ recorded: borrowing Request) -> [String]? {
        let masks = settings.sessions.masks
        let places = masks.places(in: request)
        if !places.isEmpty, masks.areReadable(in: request),
            settings.sessions.replacesMasks(at: places, of: recorded)
        {
            return nil
        }
        var counted = MaskedPlaces()
        counted.add(places, of: recorded)
        return counted.places.map(\.place.text)
    }
}

extension TokenBinding {
    /// The binding in one line, for reports.
    var line: String {
        let others = targets.count > 1 ? " and \(targets.count - 1) more" : ""
        return "\(name): \(source.text) -> \(targets.first?.text ?? "nothing")\(others)"
    }
}
