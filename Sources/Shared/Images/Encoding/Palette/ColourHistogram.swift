/// A histogram of colours in cells, by default of 8 x 8 x 8 levels, with sums for means and variances.
struct ColourHistogram {
    /// The sums of one or more cells.
    struct Moments {
        var count = 0
        var red = 0
        var green = 0
        var blue = 0
        /// The sum of the squares of all samples.
        var squares = 0

        @inline(__always) mutating func add(_ pixel: PackedColour, weight: Int) {
            let (r, g, b) = (pixel.red, pixel.green, pixel.blue)
            count &+= weight
            red &+= r &* weight
            green &+= g &* weight
            blue &+= b &* weight
            squares &+= (r &* r &+ g &* g &+ b &* b) &* weight
        }

        static func + (a: Moments, b: Moments) -> Moments {
            Moments(
                count: a.count &+ b.count, red: a.red &+ b.red, green: a.green &+ b.green, blue: a.blue &+ b.blue,
                squares: a.squares &+ b.squares)
        }

        static func - (a: Moments, b: Moments) -> Moments {
            Moments(
                count: a.count &- b.count, red: a.red &- b.red, green: a.green &- b.green, blue: a.blue &- b.blue,
                squares: a.squares &- b.squares)
        }

        /// The squared length of the vector of sums, divided by the count. Increases as the variance decreases.
        var concentration: Double {
            guard count > 0 else { return 0 }
            let (r, g, b) = (Double(red), Double(green), Double(blue))
            return (r * r + g * g + b * b) / Double(count)
        }

        /// The sum of the squared distances from the mean.
        var variance: Double { Double(squares) - concentration }

        var mean: PackedColour {
            let half = count / 2
            return PackedColour(red: (red + half) / count, green: (green + half) / count, blue: (blue + half) / count)
        }
    }

    /// The division of each channel into cells.
    let axis: ColourCells
    /// The cells with pixels, in the order of their first pixels.
    private(set) var occupied: [Moments] = []
    /// The place of each cell in `occupied`, counted from 1; 0 for an empty cell. Indexed by red, green, blue; red changes
    /// slowest.
    private var places: [Int32]

    init(_ axis: ColourCells = .even32) {
        self.axis = axis
        places = [Int32](repeating: 0, count: axis.count * axis.count * axis.count)
    }

    /// Counts the opaque pixels.
    mutating func add(_ pixels: UnsafeBufferPointer<PackedColour>) {
        for pixel in pixels where !pixel.isTransparent { add(pixel, weight: 1) }
    }

    /// Counts an opaque pixel `weight` times, at least once.
    @inline(__always) mutating func add(_ pixel: PackedColour, weight: Int) {
        let (r, g, b) = (Int(axis.index[pixel.red]), Int(axis.index[pixel.green]), Int(axis.index[pixel.blue]))
        let cell = (r &* axis.count &+ g) &* axis.count &+ b
        if places[cell] == 0 {
            occupied.append(Moments())
            places[cell] = Int32(occupied.count)
        }
        occupied[Int(places[cell]) - 1].add(pixel, weight: weight)
    }
}
