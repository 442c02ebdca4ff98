import Formats

/// A part of the upright picture, `X,Y,W,H` in pixels or in percent of the picture.
public struct Region: Sendable, Hashable, CustomStringConvertible {
    public enum Length: Sendable, Hashable, CustomStringConvertible {
        case pixels(Int)
        case percent(Double)

        /// Parses `120` or `12.5%`.
        init?(_ text: Substring) {
            if text.hasSuffix("%") {
                guard let value = Double(text.dropLast()), (0...100).contains(value) else { return nil }
                self = .percent(value)
            } else {
                guard let value = Int(text), (0...0x7FFF_FFFF).contains(value) else { return nil }
                self = .pixels(value)
            }
        }

        func pixels(of side: Int) -> Int {
            switch self {
            case .pixels(let count): count
            case .percent(let share): Int((Double(side) * share / 100).rounded())
            }
        }

        public var description: String {
            switch self {
            case .pixels(let count): String(count)
            case .percent(let share): "\(share)%"
            }
        }
    }

    public let x: Length, y: Length, width: Length, height: Length

    /// Parses `X,Y,W,H`. Returns nil if the text is invalid or the region is empty.
    public init?(_ text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Length($0.trimming(" ")) }
        guard parts.count == 4, let x = parts[0], let y = parts[1], let width = parts[2], let height = parts[3],
            ![width, height].contains(.pixels(0)), ![width, height].contains(.percent(0))
        else { return nil }
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    /// Creates the largest centred region of a picture that has the aspect ratio of another picture. Returns nil if the
    /// region differs from the whole picture by at most a pixel.
    ///
    /// Use it to remove the black bars of thumbnails that cameras pad to 160 x 120. Pixels that a bar covers partly are
    /// excluded.
    public init?(middleOf size: PixelSize, shapedLike other: PixelSize) {
        let width = min(size.width, Int(Double(size.height) * Double(other.width) / Double(other.height)))
        let height = min(size.height, Int(Double(size.width) * Double(other.height) / Double(other.width)))
        guard width > 0, height > 0, size.width - width > 1 || size.height - height > 1 else { return nil }
        x = .pixels((size.width - width + 1) / 2)
        y = .pixels((size.height - height + 1) / 2)
        self.width = .pixels(width)
        self.height = .pixels(height)
    }

    public var description: String { "\(x),\(y),\(width),\(height)" }

    /// Returns the pixels of the region within a picture. Throws `ImageError.regionOutside` if there are none.
    func rectangle(in size: PixelSize) throws(ImageError) -> Rectangle {
        let left = min(x.pixels(of: size.width), size.width)
        let top = min(y.pixels(of: size.height), size.height)
        // Both terms are below 2^31, so the sum cannot overflow.
        let right = min(left + max(width.pixels(of: size.width), 1), size.width)
        let bottom = min(top + max(height.pixels(of: size.height), 1), size.height)
        guard right > left, bottom > top else { throw .regionOutside(self, size) }
        return Rectangle(x: Double(left), y: Double(top), width: Double(right - left), height: Double(bottom - top))
    }
}

extension Substring {
    fileprivate func trimming(_ character: Character) -> Substring {
        var text = drop { $0 == character }
        while text.last == character { text.removeLast() }
        return text
    }
}
