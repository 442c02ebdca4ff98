/// A number for each pixel of a small picture.
struct Plane {
    let width: Int
    let height: Int
    var values: [Float]

    subscript(x: Int, y: Int) -> Float {
        get { values[y * width + x] }
        set { values[y * width + x] = newValue }
    }

    var mean: Float { values.reduce(0, +) / Float(values.count) }
    var largest: Float { values.max() ?? 0 }

    /// Applies a box blur of this radius, clipped at the edges, `times` times.
    func softened(_ radius: Int, times: Int = 2) -> Plane {
        guard radius > 0 else { return self }
        return (0..<times).reduce(self) { plane, _ in
            plane.softened(radius, lines: height, count: width) { $0 * width + $1 }
                .softened(radius, lines: width, count: height) { $1 * width + $0 }
        }
    }

    private func softened(_ radius: Int, lines: Int, count: Int, place: (Int, Int) -> Int) -> Plane {
        var soft = self
        // Doubles, because differences of prefix sums would be inexact in Float.
        var sums = [Double](repeating: 0, count: count + 1)
        for line in 0..<lines {
            for i in 0..<count { sums[i + 1] = sums[i] + Double(values[place(line, i)]) }
            for i in 0..<count {
                let (low, high) = (max(i - radius, 0), min(i + radius + 1, count))
                soft.values[place(line, i)] = Float((sums[high] - sums[low]) / Double(high - low))
            }
        }
        return soft
    }

    /// Averages areas to reduce the longer side to `side` values. Returns a smaller plane unchanged.
    func averaged(atMost side: Int) -> Plane {
        let longer = max(width, height)
        guard longer > side else { return self }
        func scaled(_ count: Int) -> Int { max((count * side + longer / 2) / longer, 1) }
        return narrowed(to: scaled(width)).turned.narrowed(to: scaled(height)).turned
    }

    private func narrowed(to columns: Int) -> Plane {
        var narrow = Plane(width: columns, height: height, values: [Float](repeating: 0, count: columns * height))
        let step = Float(width) / Float(columns)
        for x in 0..<columns {
            let (from, to) = (Float(x) * step, min(Float(x + 1) * step, Float(width)))
            for column in Int(from)..<min(Int(to.rounded(.up)), width) {
                let share = (min(Float(column + 1), to) - max(Float(column), from)) / step
                for y in 0..<height { narrow[x, y] += self[column, y] * share }
            }
        }
        return narrow
    }

    private var turned: Plane {
        var turned = Plane(width: height, height: width, values: values)
        for y in 0..<height { for x in 0..<width { turned[y, x] = self[x, y] } }
        return turned
    }
}
