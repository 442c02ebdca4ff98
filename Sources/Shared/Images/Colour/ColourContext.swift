import CLCMS
import Formats
import Support

/// A Little CMS context for a single transform. It has its own memory limit, because a few bytes of a profile may
/// request 512 MB. It does not have the global error handler, which would print.
final class ColourContext {
    let pointer: cmsContext
    /// The number of bytes that may still be allocated. Freed bytes are not added again, which also bounds the
    /// computing time.
    ///
    /// Unsafe: `deinit` frees the pointer, and a context is used by one thread at a time.
    private let allowance: UnsafeMutablePointer<Int>

    /// Three times the memory that a profile of 7 MB needs (CMYK to Lab, 33⁴ grid points: 29 MB and 0.08 s).
    private static let byteLimit = 96 << 20

    init?() {
        allowance = .allocate(capacity: 1)
        allowance.initialize(to: Self.byteLimit)
        var plugin = cmsPluginMemHandler()
        plugin.base.Magic = UInt32(cmsPluginMagicNumber)
        // The plugin needs Little CMS 2.0 or later.
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
        // While the context is being created, it has no user data.
        guard let allowance = cmsGetContextUserData(context)?.assumingMemoryBound(to: Int.self) else { return true }
        guard count > 0, Int(count) <= allowance.pointee else { return false }
        allowance.pointee -= Int(count)
        return true
    }
}

/// Returns the profile without its floating-point pipelines (ICC.1:2022 §9.2.17 to §9.2.24, D2B0 to B2D3). A pipeline
/// may have as many stages as fit in 8 MB, and every pixel would pass through all of them. The pipelines are optional;
/// the integer tables represent the same colours.
func withoutFloatPipelines(_ profile: [UInt8]) -> [UInt8] {
    // After the header: the number of tags, then a signature, an offset and a length for each tag.
    guard profile.count >= 132 else { return profile }
    var result = profile
    let count = ByteOrder.bigEndian.number(profile[128..<132])
    for entry in 0..<min(count, (profile.count - 132) / 12) {
        let start = 132 + entry * 12
        let isPipeline = ["D2B", "B2D"].contains { profile[start..<start + 3].elementsEqual($0.utf8) }
        // Makes the tag private. Little CMS ignores private tags.
        if isPipeline { result[start] = UInt8(ascii: "x") }
    }
    return result
}
