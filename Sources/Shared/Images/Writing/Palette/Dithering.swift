import Support

/// How the colours that a palette lacks are made to appear.
enum Dithering {
    /// Each pixel passes what it is off by to its neighbours (Floyd and Steinberg), rows in turn from left and right.
    /// Nearest to the picture, but a change anywhere moves the pattern everywhere behind it.
    case errorDiffusion
    /// A fixed pattern of the canvas is added to the pixels. What does not change keeps its pattern, so that an
    /// animation does not shimmer.
    case ordered

    /// The numbers of the colours of an area of `canvas`, row by row, in a palette that may lack some of them.
    /// `draws` says of an index of a pixel whether it is drawn; the others get the transparent number.
    func numbers(
        of area: CanvasArea, _ canvas: PackedCanvas, in palette: IndexedPalette, checking interruption: Interruption,
        draws: (Int) -> Bool
    ) throws -> [UInt8] {
        var numbers = [UInt8](repeating: palette.transparent ?? 0, count: area.count)
        try numbers.withUnsafeMutableBufferPointer { numbers in
            switch self {
            case .errorDiffusion:
                try Self.diffuse(area, canvas, palette, interruption, draws, into: numbers.baseAddress!)
            case .ordered: try Self.order(area, canvas, palette, interruption, draws, into: numbers.baseAddress!)
            }
        }
        return numbers
    }

    private static func diffuse(
        _ area: CanvasArea, _ canvas: PackedCanvas, _ palette: IndexedPalette, _ interruption: Interruption,
        _ draws: (Int) -> Bool, into numbers: UnsafeMutablePointer<UInt8>
    ) throws {
        let width = area.columns.count
        // Sixteenths of what this row and the next are off by, three samples a pixel, with a pixel to spare at each end.
        let rowCount = (width + 2) * 3
        var errors = [Int32](repeating: 0, count: rowCount * 2)
        let colours = palette.colours
        let pixels = canvas.pixels
        try palette.withNearest { nearest in
            try errors.withUnsafeMutableBufferPointer { errors in
                var here = errors.baseAddress!
                var below = here + rowCount
                for (line, y) in area.rows.enumerated() {
                    if line % 64 == 0 { try interruption.check() }
                    below.update(repeating: 0, count: rowCount)
                    let isLeftward = line % 2 == 1
                    let step = isLeftward ? -1 : 1
                    var column = isLeftward ? width - 1 : 0
                    for _ in 0..<width {
                        defer { column += step }
                        let place = y * canvas.width + area.columns.lowerBound + column
                        guard draws(place) else { continue }
                        let pixel = pixels[place]
                        let error = here + (column + 1) * 3
                        func wanted(_ sample: Int, _ channel: Int) -> Int {
                            min(max(sample &+ Int((error[channel] &+ 8) >> 4), 0), 255)
                        }
                        let (r, g, b) = (wanted(pixel.red, 0), wanted(pixel.green, 1), wanted(pixel.blue, 2))
                        let number = nearest(r, g, b)
                        numbers[line &* width &+ column] = number
                        let colour = colours[Int(number)]
                        let ahead = step &* 3
                        let under = below + (column + 1) * 3
                        func pass(_ off: Int, _ channel: Int) {
                            let off = Int32(truncatingIfNeeded: off)
                            error[channel &+ ahead] &+= off &* 7
                            under[channel &- ahead] &+= off &* 3
                            under[channel] &+= off &* 5
                            under[channel &+ ahead] &+= off
                        }
                        pass(r &- colour.red, 0)
                        pass(g &- colour.green, 1)
                        pass(b &- colour.blue, 2)
                    }
                    swap(&here, &below)
                }
            }
        }
    }

    /// Bayer's 8x8 matrix: 0 to 63, so spread that any threshold leaves an even pattern.
    private static let bayer: [Int] = (0..<64).map { place in
        let (x, y) = (place & 7, place >> 3)
        return (0..<3).reduce(0) { value, bit in
            let (a, b) = (x >> bit & 1, y >> bit & 1)
            return value | ((a ^ b) << 1 | b) << (4 - 2 * bit)
        }
    }

    private static func order(
        _ area: CanvasArea, _ canvas: PackedCanvas, _ palette: IndexedPalette, _ interruption: Interruption,
        _ draws: (Int) -> Bool, into numbers: UnsafeMutablePointer<UInt8>
    ) throws {
        // As far apart as colours are that lie evenly: their error is a twelfth of the square of their distance, in
        // each of three channels.
        let distance = (palette.meanError / 3 * 12).squareRoot()
        let strength = min(distance * 0.75, 64)
        let offsets = bayer.map { Int(((Double($0) + 0.5) / 64 - 0.5) * strength) }
        let pixels = canvas.pixels
        try palette.withNearest { nearest in
            try offsets.withUnsafeBufferPointer { offsets in
                for (line, y) in area.rows.enumerated() {
                    if line % 64 == 0 { try interruption.check() }
                    var target = numbers + line * area.columns.count
                    for x in area.columns {
                        defer { target += 1 }
                        let place = y &* canvas.width &+ x
                        guard draws(place) else { continue }
                        let pixel = pixels[place]
                        // The channels have the pattern shifted against each other, so that hues mix as well.
                        func wanted(_ sample: Int, _ shift: Int) -> Int {
                            min(max(sample &+ offsets[(y &+ shift) & 7 &* 8 | (x &+ shift) & 7], 0), 255)
                        }
                        target.pointee = nearest(wanted(pixel.red, 0), wanted(pixel.green, 0), wanted(pixel.blue, 3))
                    }
                }
            }
        }
    }
}
