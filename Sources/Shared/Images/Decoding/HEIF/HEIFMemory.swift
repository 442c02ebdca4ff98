import Formats

/// The memory that libheif takes.
enum HEIFMemory {
    static func bytes(colours: HEIFPicture.Tiling, alpha: HEIFPicture.Tiling?) -> Int {
        let pixels = colours.tileSize.pixels ?? .max
        return pixels.multipliedReportingOverflow(by: 24).partialValue
    }
}
