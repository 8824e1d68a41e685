// SPDX-License-Identifier: MIT

internal import TaplineStore

extension NewStore {
    /// Copies saved filters into a database that `prepare` has completed; of those with the same
    /// name, the first one is kept.
    func keepFilters(of stores: StoreSet) throws {
        guard isDatabase else { return }
        let filters = try stores.savedFilters()
        guard !filters.isEmpty else { return }
        let editor = try StoreEditor(temporary)
        var names: Set<String> = []
        for filter in filters where names.insert(filter.name).inserted { try editor.save(filter) }
    }
}
