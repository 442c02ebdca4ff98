import CLCMS
import Formats
import Support

/// A context of Little CMS for one transform: without the global error handler, which would print, and with a limit of
/// memory, since a few bytes of a profile may ask for 512 MB.
final class ColourContext {
    let pointer: cmsContext
    /// Bytes that may still be allocated. What is freed is not given back, so that the work is bounded, too.
    ///
    /// Unsafe: a context is used by one thread at a time, and frees this when it goes.
    private let allowance: UnsafeMutablePointer<Int>

    /// Three times what a profile of 7 MB takes (CMYK to Lab, 33⁴ grid points: 29 MB and 0.08 s).
    private static let byteLimit = 96 << 20

    init?() {
        allowance = .allocate(capacity: 1)
        allowance.initialize(to: Self.byteLimit)
        var plugin = cmsPluginMemHandler()
        plugin.base.Magic = UInt32(cmsPluginMagicNumber)
        // What this handler needs is there since 2.0.
        plugin.base.ExpectedVersion = 2000
        plugin.base.Type = UInt32(cmsPluginMemHandlerSig)
        plugin.MallocPtr = { context, count in ColourContext.isGranted(count, context) ? malloc(Int(count)) : nil }
        plugin.ReallocPtr = { context, block, count in
            ColourContext.isGranted(count, context) ? realloc(block, Int(count)) : nil
        }
        plugin.FreePtr = { _, block in free(block) }
        guard let context = cmsCreateContext(&plugin, allowance) else {
            allowance.deallocate()
            return nil
        }
        pointer = context
    }

    deinit {
        cmsDeleteContext(pointer)
        allowance.deallocate()
    }

    private static func isGranted(_ count: UInt32, _ context: cmsContext?) -> Bool {
        // While the context itself is made it has no data yet.
        guard let allowance = cmsGetContextUserData(context)?.assumingMemoryBound(to: Int.self) else { return true }
        guard count > 0, Int(count) <= allowance.pointee else { return false }
        allowance.pointee -= Int(count)
        return true
    }
}

/// The profile without its pipelines in floating point (ICC.1:2022 §9.2.17 to §9.2.24, D2B0 to B2D3): those may have any
/// number of stages, as many as there are places for in 8 MB, each of which every pixel would go through. They are
/// optional, and the tables of integers beside them mean the same colours.
func withoutFloatPipelines(_ profile: [UInt8]) -> [UInt8] {
    // A count of tags behind the header, then a signature, an offset and a length for each.
    guard profile.count >= 132 else { return profile }
    var result = profile
    let count = ByteOrder.bigEndian.number(profile[128..<132])
    for entry in 0..<min(count, (profile.count - 132) / 12) {
        let start = 132 + entry * 12
        let isPipeline = ["D2B", "B2D"].contains { profile[start..<start + 3].elementsEqual($0.utf8) }
        // A private signature, which nothing looks for.
        if isPipeline { result[start] = UInt8(ascii: "x") }
    }
    return result
}
