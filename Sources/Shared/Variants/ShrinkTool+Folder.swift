import Images
import Records
import Support

/// Into a folder.
extension ShrinkTool {
    func makeFiles(
        _ source: InputFile, _ path: String, _ record: Record, _ naming: OutputNaming, named: inout Set<String>,
        ready: (Variant, JSON) -> Void
    ) throws {
        try self.named(path) {
            let info = try inspect(source, limits: maker.options.limits)
            let format = maker.rendition.format(for: info.format)
            let targets = try variants.map { variant in
                try naming.path(stem: Self.stem(path), variant: variant, format: format, record: record)
            }
            named.formUnion(targets)
            let files = try targets.map { try OutputFile(path: $0) }
            let requests = zip(variants, files).map { VariantMaker.Request($0, sink: $1) }
            try maker.make(source, info, requests) { index, result in
                try files[index].commit(synchronized: synchronizesFiles)
                ready(variants[index], Self.field(targets[index], result, status: "made"))
            }
        }
    }
}
