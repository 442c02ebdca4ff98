/// The pixels of a GIF frame, before a palette of the file is chosen for them.
struct DrawnFrame {
    private(set) var area: CanvasArea
    /// The displayed colours of the area after the frame is drawn, row by row. Pixels that `grow` added are
    /// transparent.
    private(set) var pixels: [PackedColour]
    /// Whether each pixel differs from the previous frame. Other pixels may be drawn or skipped.
    private(set) var isChanged: [Bool]
    /// In hundredths of a second, at most 65,535.
    let delay: Int
    /// Whether the rectangle becomes transparent after the frame's delay. Otherwise, its pixels stay.
    var clearsAfterwards = false

    /// Draws palette indices on a canvas, and crops the frame to the changed rectangle. A frame that draws all pixels
    /// is not cropped, because its palette may have no index for skipped pixels.
    ///
    /// - Parameters:
    ///   - transparent: the index of skipped pixels; nil if all pixels are drawn.
    ///   - shown: the displayed canvas, which is updated.
    init(
        _ area: CanvasArea, _ indices: [UInt8], _ palette: IndexedPalette, transparent: UInt8?, on shown: PackedCanvas,
        delay: Int
    ) {
        var pixels: [PackedColour] = []
        pixels.reserveCapacity(area.count)
        var isChanged = [Bool](repeating: false, count: area.count)
        var extent = Extent()
        var place = 0
        for y in area.rows {
            let row = shown.pixels + y * shown.width
            for x in area.columns {
                let index = indices[place]
                if index != transparent {
                    let colour = palette.colours[Int(index)]
                    if row[x] != colour {
                        row[x] = colour
                        isChanged[place] = true
                        extent.include(x...x, y)
                    }
                }
                pixels.append(row[x])
                place += 1
            }
        }
        self.area = area
        self.pixels = pixels
        self.isChanged = isChanged
        self.delay = delay
        guard transparent != nil else { return }
        // A frame without changes still has a delay, so it becomes a single pixel.
        let (left, top) = (area.columns.lowerBound, area.rows.lowerBound)
        crop(to: extent.area ?? CanvasArea(columns: left..<left + 1, rows: top..<top + 1))
    }

    private mutating func crop(to smaller: CanvasArea) {
        guard smaller != area else { return }
        var kept: [PackedColour] = []
        var keptChanges: [Bool] = []
        kept.reserveCapacity(smaller.count)
        keptChanges.reserveCapacity(smaller.count)
        for y in smaller.rows {
            let start = (y - area.rows.lowerBound) * area.columns.count - area.columns.lowerBound
            let row = start + smaller.columns.lowerBound..<start + smaller.columns.upperBound
            kept += pixels[row]
            keptChanges += isChanged[row]
        }
        (area, pixels, isChanged) = (smaller, kept, keptChanges)
    }

    /// Extends the area by pixels that are not drawn.
    mutating func grow(to larger: CanvasArea) {
        guard larger != area else { return }
        var grown = [PackedColour](repeating: .transparent, count: larger.count)
        var grownChanges = [Bool](repeating: false, count: larger.count)
        for (line, y) in area.rows.enumerated() {
            let indent = area.columns.lowerBound - larger.columns.lowerBound
            let target = (y - larger.rows.lowerBound) * larger.columns.count + indent
            let source = line * area.columns.count..<(line + 1) * area.columns.count
            grown.replaceSubrange(target..<target + source.count, with: pixels[source])
            grownChanges.replaceSubrange(target..<target + source.count, with: isChanged[source])
        }
        (area, pixels, isChanged) = (larger, grown, grownChanges)
    }
}

/// The bounding rectangle of the included pixels.
struct Extent {
    private var left = Int.max
    private var right = 0
    private var top = Int.max
    private var bottom = 0

    mutating func include(_ columns: ClosedRange<Int>, _ y: Int) {
        left = min(left, columns.lowerBound)
        right = max(right, columns.upperBound + 1)
        top = min(top, y)
        bottom = max(bottom, y + 1)
    }

    var area: CanvasArea? { left < right ? CanvasArea(columns: left..<right, rows: top..<bottom) : nil }
}
