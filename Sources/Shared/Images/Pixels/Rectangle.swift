import Formats

/// A part of a picture in pixels, possibly fractional. The origin is the top left corner of the picture.
struct Rectangle: Hashable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    func contains(_ other: Rectangle) -> Bool {
        let slack = 1e-6
        return other.x >= x - slack && other.y >= y - slack && other.x + other.width <= x + width + slack
            && other.y + other.height <= y + height + slack
    }

    /// Returns the same part in stored orientation. `stored` is the size of the stored picture.
    func stored(_ orientation: Orientation, in stored: PixelSize) -> Rectangle {
        // Maps two opposite corners by the same steps as pixels.
        let steps = StoredPosition(orientation: orientation, stored: stored)
        let originX = steps.rightX + steps.downX < 0 ? Double(stored.width) : 0
        let originY = steps.rightY + steps.downY < 0 ? Double(stored.height) : 0
        func corner(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
            (
                originX + x * Double(steps.rightX) + y * Double(steps.downX),
                originY + x * Double(steps.rightY) + y * Double(steps.downY)
            )
        }
        let a = corner(x, y)
        let b = corner(x + width, y + height)
        return Rectangle(x: min(a.x, b.x), y: min(a.y, b.y), width: abs(a.x - b.x), height: abs(a.y - b.y))
    }
}

extension Rectangle {
    init(_ size: PixelSize) { self.init(x: 0, y: 0, width: Double(size.width), height: Double(size.height)) }
}
