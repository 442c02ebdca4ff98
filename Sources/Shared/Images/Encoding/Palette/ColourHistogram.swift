/// A histogram of colours in cells of 8 x 8 x 8 levels (5 bits per channel), with sums for means and variances.
struct ColourHistogram {
    /// The sums of one or more cells.
    struct Moments {
        var count = 0
        var red = 0
        var green = 0
        var blue = 0
        /// The sum of the squares of all samples.
        var squares = 0

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

        /// The squared length of the sum, divided by the count. It grows as the variance shrinks.
        var concentration: Double {
            guard count > 0 else { return 0 }
            let (r, g, b) = (Double(red), Double(green), Double(blue))
            return (r * r + g * g + b * b) / Double(count)
        }

        /// The sum of the squared distances from the mean.
        var variance: Double { Double(squares) - concentration }

        var mean: PackedColour {
            let half = count / 2
            return PackedColour(
                red: (red + half) / count, green: (green + half) / count, blue: (blue + half) / count)
        }
    }

    static let side = 32
    /// Indexed by red, green, blue; red changes slowest.
    private(set) var cells = [Moments](repeating: Moments(), count: side * side * side)

    /// Counts the opaque pixels.
    mutating func add(_ pixels: UnsafeBufferPointer<PackedColour>) {
        cells.withUnsafeMutableBufferPointer { cells in
            for pixel in pixels where !pixel.isTransparent {
                let (r, g, b) = (pixel.red, pixel.green, pixel.blue)
                let cell = (r >> 3) << 10 | (g >> 3) << 5 | b >> 3
                cells[cell].count &+= 1
                cells[cell].red &+= r
                cells[cell].green &+= g
                cells[cell].blue &+= b
                cells[cell].squares &+= r &* r &+ g &* g &+ b &* b
            }
        }
    }

    var occupied: [Moments] { cells.filter { $0.count > 0 } }
}
