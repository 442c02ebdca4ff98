import Commands
import Fetch
import Images
import Libc
import Options
import Records
import Store
import Support
import Variants

extension Tool {
    /// With `-o`, writes a single picture to a file. Otherwise makes variants of all pictures.
    @Sendable static func downsample(_ arguments: Arguments) throws -> Int32 {
        let context = try ToolContext(arguments)
        defer { context.progress.end() }
        let settings = try DownsampleSettings(context)
        return try settings.output.map { try context.downsampleOne(to: $0, settings) }
            ?? context.downsampleAll(settings)
    }
}

extension ToolContext {
    /// Shrinks a single picture and writes it to `target`. Neither reads nor writes records.
    fileprivate func downsampleOne(to target: String, _ settings: DownsampleSettings) throws -> Int32 {
        var settings = settings
        if target == "-" { _ = try File.pictureOutput(example: "small.jpg") }
        var requirements = settings.requirements
        requirements.inputs = arguments.operands
        try prepareOutput(target, &requirements)
        requirements.usesCache = false
        confine(&settings.cache, requirements)
        try interruption.catchSignals()
        try settings.checkIcon()
        progress.expect(records: 1)
        var maker = settings.maker
        // The budget includes this thread.
        maker.options.spareThreads = ThreadBudget(Thread.processors)
        let tool = tool(settings, maker, target == "-" ? .standardOutput : .file(target), caches(settings.cache))
        var record = Record()
        do {
            try tool.process(&record, argument: arguments.operands[0]) { _ in }
        } catch let failure as SystemFailure where failure.isBrokenPipe {
        } catch is Cancelled {
            interruption.endIfSignalled()
        } catch {
            let failure = failure(of: error)
            progress.end()
            FailureLines(log: log).report(
                failure, about: RecordJob(Record(), argument: arguments.operands[0]), output: target)
            return failure.exitCode.rawValue
        }
        return 0
    }

    /// Throws a failure (66) that suggests `-o` if the second of two operands does not exist and is probably the output
    /// file.
    private func checkOperands() throws {
        let operands = arguments.operands
        guard operands.count == 2, (try? DownsampleSettings.format(ofFile: operands[1])) != nil,
            operands[1] != "-", try FileStatus(at: operands[0]) != nil, try FileStatus(at: operands[1]) == nil
        else { return }
        let failure = SystemFailure(errno: ENOENT, "open \(operands[1])", purpose: .openInput)
        throw SuggestingFailure(failure, meant: "-o \(operands[1])")
    }

    private func tool(
        _ settings: DownsampleSettings, _ maker: VariantMaker, _ output: DownsampleTool.Output, _ caches: Caches,
        folders: [String] = []
    ) -> DownsampleTool {
        var tool = DownsampleTool(
            variants: settings.variants, maker: maker, output: output, caches: caches,
            pathGuard: PathGuard(folders: folders), log: log)
        tool.emitsEach = arguments[.incremental]
        tool.fallback = settings.fallback
        tool.synchronizesFiles = settings.synchronizesFiles
        return tool
    }

    fileprivate func downsampleAll(_ settings: DownsampleSettings) throws -> Int32 {
        var settings = settings
        let options = try runOptions(.pictures)
        if settings.folder == nil { try checkOperands() }
        var folders = settings.cache.folders + settings.allowedFolders
        var requirements = settings.requirements
        requirements.inputs = arguments.operands + settings.allowedFolders
        requirements.readsInput = arguments.readsInput
        if let folder = settings.folder {
            try folder.make()
            folders.append(folder.path)
            requirements.folders = [folder.path]
            requirements.changesCache = false
        } else {
            requirements.remote = try remoteSettings()
        }
        confine(&settings.cache, requirements)
        try settings.checkIcon()
        var maker = settings.maker
        maker.options.spareThreads = ThreadBudget(options.jobs)
        let caches = caches(settings.cache, remote: remote(requirements.remote))
        defer { caches.close() }
        return try run(
            tool(settings, maker, settings.folder.map { .folder($0) } ?? .cache, caches, folders: folders),
            options: options, over: arguments.pictureFiles)
    }
}

extension Arguments {
    /// The pictures that the operands or the lines of standard input name. A path on standard input is restricted like
    /// a path in a record.
    var pictureFiles: InputItems {
        InputItems(
            "pictures", operands, operand: { RecordJob(Record(), argument: $0) },
            line: { path in
                var record = Record()
                record.setPath("path", path)
                return RecordJob(record)
            })
    }
}
