import Fetch
import Formats
import Store
import Support

extension KeptGIFs {
    /// Looks at every GIF of the scope: has its row the file, the file its SHA-256, is it a whole GIF, and of the size
    /// that the row says? Gives how many problems there were; with `repairs`, what is damaged goes, so that it is
    /// fetched again. Throws `CacheFailure` if the index cannot be used, `Cancelled` if the run is stopped, and what
    /// `report` throws.
    public func verify(
        jobs: Int, repairs: Bool, log: Log, progress: Progress, interruption: Interruption,
        report: @escaping Verification.Report
    ) throws -> Int {
        let selection = Verification.Selection(Self.narrowed(EntryFilter(), nil)) { try Self.fault($0, $1) }
        return try all().reduce(0) { problems, cache in
            let verification = Verification(
                settings: cache.settings, jobs: jobs, repairs: repairs, log: log, progress: progress,
                interruption: interruption, selection: selection)
            return try problems + verification.run(report: report)
        }
    }

    /// What is wrong with a file that is as its row has it: what `GIFAcceptance` refuses, and what records would tell
    /// wrongly of it.
    static func fault(_ entry: Entry, _ file: some ByteSource) throws -> String? {
        let facts: GIFFacts
        do {
            facts = GIFFacts(try GIFStructure.read(file))
        } catch let failure as FormatFailure {
            return "\(GIFFailure(failure).code): \(failure.message)"
        }
        if let width = entry.width, let height = entry.height,
            facts.size != PixelSize(width: width, height: height)
        {
            return "its canvas is \(facts.size), not \(width)x\(height)"
        }
        let note = entry.details.flatMap(GIFFacts.init(note:))
        return note == nil || note == facts ? nil : "it is another GIF than the index says"
    }
}
