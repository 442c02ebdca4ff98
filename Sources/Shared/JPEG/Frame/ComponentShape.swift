import Formats

/// The block layout, dimensions and plane of one component of a JPEG.
struct ComponentShape {
    let layout: BlockLayout
    /// Blocks across and down in an MCU of an interleaved scan.
    let across: Int
    let down: Int
    /// Blocks that contain a part of the picture. A scan of a single component contains only these blocks (ITU-T T.81
    /// A.2.2).
    let blocksAcross: Int
    let blocksDown: Int
    let plane: JPEGPlane

    /// - Parameter scale: the scale of luma in eighths, one of `BlockLayout.sizes`.
    init(_ component: JPEGFrame.Component, of frame: JPEGFrame, scale: Int, for use: JPEGPlaneUse) {
        let (mostAcross, mostDown) = (frame.mostAcross, frame.mostDown)
        let isCoarse = component.across * 2 < mostAcross || component.down * 2 < mostDown
        func fits(_ size: Int) -> Bool {
            mostAcross * scale % (component.across * size) == 0 && mostDown * scale % (component.down * size) == 0
        }
        let size =
            switch use {
            case .rows: BlockLayout.sizes.last(where: fits)
            case .planes: isCoarse ? BlockLayout.sizes.first { $0 >= 2 * scale } : scale
            }
        layout = BlockLayout(size: size ?? 8)
        (across, down) = (component.across, component.down)
        func blocks(_ pixels: Int, _ own: Int, _ most: Int) -> Int { (pixels * own + 8 * most - 1) / (8 * most) }
        blocksAcross = blocks(frame.size.width, across, mostAcross)
        blocksDown = blocks(frame.size.height, down, mostDown)
        let width = Double(frame.size.width * across * layout.size) / Double(8 * mostAcross)
        let height = Double(frame.size.height * down * layout.size) / Double(8 * mostDown)
        plane = JPEGPlane(
            size: PixelSize(width: Int(width.rounded(.up)), height: Int(height.rounded(.up))), extentWidth: width,
            extentHeight: height, rowBytes: frame.mcusAcross * across * layout.size, groupRows: down * layout.size,
            sharpening: JPEGFrame.sharpening(scale: layout.size))
    }
}
