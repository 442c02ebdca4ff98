import Formats

/// Finds the end of each scan of a JPEG of any coding: the first marker, other than a restart marker, after the
/// entropy-coded data (ITU T.81 B.1.1, B.2.1).
final class JPEGScanReader: ScanReader {
    private var markers = JPEGMarkers()
    /// The offset of the next bytes in the file.
    private var offset = 0
    private var isInScan = false
    private var scans = 0
    private(set) var isOver = false

    func take(_ bytes: UnsafeRawBufferPointer, found: (CompleteScan) -> Void) {
        let end = offset + bytes.count
        while !isOver, markers.offset < end,
            let segment = markers.next(UnsafeRawBufferPointer(rebasing: bytes[(markers.offset - offset)...]))
        {
            if segment.code == JPEGMarkers.endOfImage {
                isOver = true
            } else if isInScan {
                scans += 1
                found(CompleteScan(number: scans, end: segment.start))
            }
            isInScan = segment.code == JPEGMarkers.startOfScan
        }
        offset = end
    }
}
