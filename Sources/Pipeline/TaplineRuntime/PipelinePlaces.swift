// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin

/// Where the options of a pipeline file belong.
enum PipelinePlaces {
    /// The places that are valid for the whole file.
    static let file: OptionPlaces = {
        var places = OptionPlaces()
        places.add(PipelineFile.keys, "belongs at the top of the file")
        places.add(RuntimeKeys.schema.names, "belongs under 'runtime', beside 'sources'")
        let all = CommonKeys.source(isLive: false).names
        let kinds = [
            (CommonKeys.source(isLive: true), "is for live sources"),
            (CommonKeys.stage(hasWireHooks: true), "is for stages that act on live traffic"),
            (CommonKeys.sink, "is for sinks"),
        ]
        for (schema, text) in kinds {
            let own = schema.names.filter { !all.contains($0) }
            places.add(own, "\(text) and belongs beside the plugin's name")
        }
        return places
    }()

    /// The places that are valid in a component: the keys of its plugin and those beside the
    /// plugin's name.
    static func component(
        _ plugin: String,
        _ options: OptionSchema,
        _ common: OptionSchema
    ) -> OptionPlaces {
        var places = OptionPlaces()
        places.add(common.names, "belongs beside '\(plugin)' in the same list item, not within it")
        places.add(options.names, "belongs in '\(plugin)'")
        places.addNested(of: options, " of '\(plugin)'")
        places.addNested(of: common, ", beside '\(plugin)'")
        places.add(file)
        return places
    }
}
