import Formats
import Images
import Variants

extension GalleryTool {
    /// The number of pixels above which phones cannot show a picture.
    private static let mostPixels = 24_000_000

    /// Returns the variants that a page needs. Omits thumbnails and overlays that would be the same as the variant
    /// `pager`. The thumbnails of an animation are stills.
    ///
    /// - Parameters:
    ///   - size: the size of the picture, or nil if it is unknown.
    ///   - canTile: whether to cut a large picture into tiles.
    static func variants(of size: PixelSize?, isAnimated: Bool, canTile: Bool, keepingOriginals: Bool) -> [Variant] {
        func box(_ name: String, _ width: Int, _ height: Int) -> Variant {
            Variant(name: name, geometry: Geometry(width: width, height: height))
        }
        let thumbnails = [box(GalleryItem.thumbnail, 720, 240), box(GalleryItem.sharpThumbnail, 1440, 480)]
        guard let size else { return thumbnails + [.pager, .overlay] }
        func scale(_ variant: Variant) -> Double {
            let (width, height) = (variant.geometry.width ?? 0, variant.geometry.height ?? 0)
            return min(1, Double(width) / Double(size.width), Double(height) / Double(size.height))
        }
        let pager = scale(.pager)
        var all = thumbnails.filter { scale($0) != pager }
        if isAnimated {
            all.append(Variant(name: GalleryItem.still, geometry: Variant.pager.geometry))
            for index in all.indices { all[index].frame = 0 }
        }
        all.append(.pager)
        if pager < 1 { all.append(.overlay) }
        if isLarge(size), canTile {
            var tiles = Variant(name: GalleryItem.tiles, geometry: Geometry())
            tiles.isTiled = true
            all.append(tiles)
        } else if isLarge(size), keepingOriginals {
            var large = Variant(name: GalleryItem.large, geometry: Geometry())
            large.geometry.maxPixels = mostPixels
            all.append(large)
        }
        return all
    }

    private static func isLarge(_ size: PixelSize) -> Bool { size.pixels ?? .max > mostPixels }
}
