import CacheTools
import Fetch
import Formats
import Libc
import Store
import Support

/// Makes previews of a picture during its download, after each scan or pass except the last.
///
/// Runs on the download's thread: a preview takes about as long as writing its bytes, and the server fills the network
/// buffers in that time. A failure is logged as a detail, and the download continues.
public final class PreviewMaker: BodyWatcher {
    private let limits: PreviewLimits
    private let log: Log
    private let interruption: Interruption
    private let ready: (Preview) -> Void
    private var body: ArrivingBody?
    private var finder = ScanFinder()
    /// The number of bytes read so far.
    private var seen = 0
    private var plan: PreviewPlan

    /// - Parameter ready: called with each preview once its file is complete.
    public init(
        limits: PreviewLimits = .standard, log: Log, interruption: Interruption, ready: @escaping (Preview) -> Void
    ) {
        self.limits = limits
        self.log = log
        self.interruption = interruption
        self.ready = ready
        plan = PreviewPlan(limits: limits)
    }

    /// Starts a body, or continues an interrupted body. If the file already contains unread bytes, reads them and makes
    /// a preview of the last scan in them. Throws `Cancelled`.
    public func begin(_ body: ArrivingBody) throws {
        self.body = body
        // The download resumes where reading stopped, so nothing needs to be read again.
        if body.count > 0, body.count == seen { return }
        (finder, seen) = (ScanFinder(limits: limits), 0)
        guard body.count > 0 else { return }
        var last: CompleteScan?
        try attempt {
            try drawing(of: body).forEachPiece(upTo: body.count) { piece in
                finder.take(piece) { last = $0 }
                seen += piece.count
                return true
            }
        }
        if let last { try show(last) }
    }

    /// Reads the next bytes, and makes a preview of each scan that they complete. Throws `Cancelled`.
    public func take(_ bytes: UnsafeRawBufferPointer) throws {
        var scans: [CompleteScan] = []
        finder.take(bytes) { scans.append($0) }
        seen += bytes.count
        for scan in scans { try show(scan) }
    }

    private func show(_ scan: CompleteScan) throws {
        guard let body, let format = finder.format, plan.take(scan, copies: format == .jpeg) else { return }
        try attempt {
            let kind = PreviewDrawing.format(of: format)
            let name = body.previewName(scan.number, fileExtension: kind.fileExtension)
            let header = try write(scan, of: format, body, to: name)
            ready(
                Preview(
                    path: body.folder.path(of: name), scan: scan.number, bytes: scan.end, totalBytes: body.total,
                    contentType: kind.contentType, width: header.uprightSize.width, height: header.uprightSize.height))
        }
    }

    /// Writes a preview under a temporary name, renames it to `name`, and returns its header.
    private func write(
        _ scan: CompleteScan, of format: ImageFormat, _ body: ArrivingBody, to name: String
    ) throws -> ImageHeader {
        let unfinished = body.unfinishedPreviewName
        do {
            let output = try body.unfinishedPreview()
            try drawing(of: body).draw(scan, of: format, to: output)
            let header = try ImageHeader.read(try body.folder.open(unfinished, O_RDONLY))
            try body.folder.rename(unfinished, to: name)
            return header
        } catch {
            body.folder.remove(unfinished)
            throw error
        }
    }

    /// Logs a failure of `body`. Throws only `Cancelled`.
    private func attempt(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let stop as Cancelled {
            throw stop
        } catch {
            log.detail("no preview: \(failure(of: error).message)")
        }
    }

    private func drawing(of body: ArrivingBody) throws -> PreviewDrawing {
        PreviewDrawing(file: try body.folder.open(body.name, O_RDONLY), limits: limits, interruption: interruption)
    }
}
