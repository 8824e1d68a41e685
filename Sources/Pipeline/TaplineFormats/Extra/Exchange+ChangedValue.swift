// SPDX-License-Identifier: MIT

package import TaplineModel

extension Exchange {
    /// Returns the present value of what a stage changed, as text.
    ///
    /// In a record, that is the value after all stages. It is `nil` for parts without a short value,
    /// and for names that no longer exist.
    package func value(of change: ProvenanceChange) -> String? {
        switch ProvenancePart(rawValue: change.part) {
        case .method: request.method.description
        case .url: request.url.description
        case .requestVersion: request.version.description
        case .requestHeader: Self.value(change.name, in: request.fields)
        case .requestTrailer: Self.value(change.name, in: request.trailers)
        case .status: response.map { String($0.status) }
        case .reason: response?.reason.description
        case .responseVersion: response?.version.description
        case .responseHeader: response.flatMap { Self.value(change.name, in: $0.fields) }
        case .responseTrailer: response.flatMap { Self.value(change.name, in: $0.trailers) }
        case .tag: tags[change.name]
        case .state: state.name
        case .error: error?.code
        default: nil
        }
    }

    private static func value(_ name: String, in fields: FieldSection) -> String? {
        let values = fields.all(name)
        return values.isEmpty ? nil : values.map(\.description).joined(separator: ", ")
    }
}
