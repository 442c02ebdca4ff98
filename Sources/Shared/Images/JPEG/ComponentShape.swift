import Formats

/// How one component of a JPEG is decoded, and the plane that it becomes.
struct ComponentShape {
    let layout: BlockLayout
    /// Blocks in an MCU of all components.
    let across: Int
    let down: Int
    /// Blocks that have a part of the picture, which are those of a scan of this component alone (ITU-T T.81 A.2.2).
    let blocksAcross: Int
    let blocksDown: Int
    let plane: PlaneGeometry

    /// - Parameter scale: eighths of its size at which luma is decoded, one of `BlockLayout.sizes`. A component that would
    ///   be less than half as fine as the finest is decoded at twice as many.
    init(_ component: JPEGFrame.Component, of frame: JPEGFrame, scale: Int) {
        let (mostAcross, mostDown) = (frame.mostAcross, frame.mostDown)
        let isCoarse = component.across * 2 < mostAcross || component.down * 2 < mostDown
        layout = BlockLayout(
            size: isCoarse ? BlockLayout.sizes.first { $0 >= min(2 * scale, 8) } ?? 8 : scale)
        (across, down) = (component.across, component.down)
        func blocks(_ pixels: Int, _ own: Int, _ most: Int) -> Int { (pixels * own + 8 * most - 1) / (8 * most) }
        blocksAcross = blocks(frame.size.width, across, mostAcross)
        blocksDown = blocks(frame.size.height, down, mostDown)
        let width = Double(frame.size.width * across * layout.size) / Double(8 * mostAcross)
        let height = Double(frame.size.height * down * layout.size) / Double(8 * mostDown)
        plane = PlaneGeometry(
            size: PixelSize(width: Int(width.rounded(.up)), height: Int(height.rounded(.up))), extentWidth: width,
            extentHeight: height, rowBytes: frame.mcusAcross * across * layout.size,
            groupRows: down * layout.size)
    }
}
