import Store
import Fetch
import Tools
import Commands
import Images
import Options
import Records
import Support
import Variants

extension ImgDownsample {
    /// Shrinks one picture to a file, or all to variants.
    @Sendable static func shrink(_ arguments: Arguments) throws -> Int32 {
        let context = try ToolContext(arguments)
        defer { context.progress.end() }
        let settings = try ShrinkSettings(context)
        return try settings.output.map { try context.shrinkOne(to: $0, settings) } ?? context.shrinkAll(settings)
    }
}

extension ToolContext {
    /// The plain form: one picture in, one out, no record.
    fileprivate func shrinkOne(to target: String, _ settings: ShrinkSettings) throws -> Int32 {
        if target == "-" { _ = try PictureOutput(example: "small.jpg") }
        var needs = settings.needs
        needs.inputs = arguments.operands
        needs.outputs = [target]
        needs.usesCache = false
        confine(settings.cache, needs)
        try interruption.catchSignals()
        progress.expect(records: 1)
        do {
            try interruption.during {
                let limit = settings.maker.options.limits.maxInputBytes
                switch try PictureInput(arguments.operands[0], limit: limit, interruption: interruption) {
                case .bytes(let bytes): try make(MemorySource(bytes), target, settings)
                case .file(let file): try make(file, target, settings)
                case .records: throw UsageFailure("-o takes a single picture; use --output-dir for records")
                }
            }
        } catch let failure as SystemFailure where failure.isBrokenPipe {
            return 0
        } catch is Cancelled {
            interruption.endIfSignalled()
        } catch let failure as any Failure {
            let failure = PictureFailure.naming(arguments.operands[0], failure)
            // Where the output cannot be written, a placeholder cannot either.
            if let fallback = settings.fallback, failure is PictureFailure || failure.exitCode == .noInput {
                try draw(fallback, failure, target, settings)
            }
            throw failure
        }
        return 0
    }

    /// Writes a placeholder in place of the one picture.
    private func draw(
        _ fallback: Fallback, _ failure: any Failure, _ target: String, _ settings: ShrinkSettings
    ) throws {
        let placeholder = fallback.placeholder(for: Record(), failure)
        let file = target == "-" ? nil : try OutputFile(path: target)
        let sink: any ByteSink = try file ?? File(descriptor: 1, path: "standard output", closes: false)
        let request = VariantMaker.Request(settings.variants[0], format: settings.outputFormat, sink: sink)
        for warning in try settings.maker.draw(placeholder, request).warnings { log.warning(warning) }
        try file?.commit(synchronized: settings.synchronizesFiles)
    }

    private func make(_ source: some ByteSource, _ target: String, _ settings: ShrinkSettings) throws {
        let info = try inspect(source, limits: settings.maker.options.limits)
        let variant = settings.variants[0]
        if target == "-" {
            let output = try File(descriptor: 1, path: "standard output", closes: false)
            // Held back where a placeholder could follow: it must not stand behind the beginning of the picture.
            let held = settings.fallback.map { _ in MemorySink() }
            let request = VariantMaker.Request(variant, sink: held ?? output)
            try settings.maker.make(source, info, [request]) { _, _ in }
            if let held { try output.write(held.bytes) }
        } else {
            let output = try OutputFile(path: target)
            let request = VariantMaker.Request(variant, format: settings.outputFormat, sink: output)
            try settings.maker.make(source, info, [request]) { _, _ in }
            try output.commit(synchronized: settings.synchronizesFiles)
        }
    }

    fileprivate func shrinkAll(_ settings: ShrinkSettings) throws -> Int32 {
        let caches = caches(settings.cache)
        let destination: ShrinkTool.Destination
        var folders = settings.cache.folders + settings.allowedFolders
        var needs = settings.needs
        needs.inputs = arguments.operands + settings.allowedFolders
        needs.readsInput = arguments.readsInput
        if let outputDir = arguments[.outputDir] {
            try makeFolder(outputDir, synchronized: settings.synchronizesFiles)
            folders.append(outputDir)
            needs.folders = [outputDir]
            needs.changesCache = false
            destination = .folder(
                try OutputNaming(folder: outputDir, template: arguments[.nameTemplate] ?? OutputNaming.standardTemplate)
            )
        } else {
            destination = .cache
        }
        let options = try runOptions(jobs: SpareThreads.processors)
        confine(settings.cache, needs)
        var maker = settings.maker
        maker.options.spareThreads = SpareThreads(options.jobs)
        let tool = ShrinkTool(
            variants: settings.variants, maker: maker, destination: destination, caches: caches,
            pathGuard: PathGuard(folders: folders), emitsEach: arguments[.progressiveRecords],
            fallback: settings.fallback, synchronizesFiles: settings.synchronizesFiles, log: log)
        defer { caches.close() }
        return try run(
            tool, options: options,
            over: Things(
                "pictures", arguments.operands, operand: { RecordJob(Record(), argument: $0) },
                line: { path in
                    // Trusted no more than the path of a record.
                    var record = Record()
                    record.setPath("path", path)
                    return RecordJob(record)
                }))
    }
}
