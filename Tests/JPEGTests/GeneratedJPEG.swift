import CJPEG
import Libc
import TestSupport

/// A JPEG from libjpeg's encoder, with any sampling factors, restarts and scans.
struct GeneratedJPEG {
    var width: Int
    var height: Int
    /// The horizontal and vertical sampling factors of each component: one component for gray, three for YCbCr or RGB,
    /// four for CMYK or YCCK.
    var sampling: [(Int, Int)]
    var quality = 75
    var restartInterval = 0
    var hasOwnCodes = false
    var isProgressive = false
    /// The components of each scan. If empty, all components are in a single scan.
    var scans: [[Int]] = []
    /// Whether colours are stored without conversion, as RGB or CMYK.
    var isUnconverted = false
    var seed: UInt64 = 1
    /// The amplitude of the noise, from 0 to 255.
    var noise = 40

    /// Sampling factors of gray and of YCbCr.
    static let samplings: [[(Int, Int)]] = [
        [(1, 1)], [(2, 2)], [(1, 1), (1, 1), (1, 1)], [(2, 1), (1, 1), (1, 1)], [(1, 2), (1, 1), (1, 1)],
        [(2, 2), (1, 1), (1, 1)], [(4, 1), (1, 1), (1, 1)], [(4, 2), (1, 1), (1, 1)], [(2, 2), (2, 1), (1, 2)],
        [(1, 1), (2, 2), (1, 1)], [(3, 1), (1, 1), (1, 1)],
    ]

    /// Returns the bytes of the file.
    func encoded() -> [UInt8] {
        let script = UnsafeMutableBufferPointer<jpeg_scan_info>.allocate(capacity: scans.count)
        defer { script.deallocate() }
        for (index, components) in scans.enumerated() {
            let numbers = components.map { Int32($0) } + [0, 0, 0]
            script.initializeElement(
                at: index,
                to: jpeg_scan_info(
                    comps_in_scan: Int32(components.count),
                    component_index: (numbers[0], numbers[1], numbers[2], numbers[3]), Ss: 0, Se: 63, Ah: 0, Al: 0))
        }
        return writtenByLibjpeg { info in
            let channels = sampling.count
            info.image_width = JDIMENSION(width)
            info.image_height = JDIMENSION(height)
            info.input_components = Int32(channels)
            info.in_color_space = [1: JCS_GRAYSCALE, 3: JCS_RGB, 4: JCS_CMYK][channels]!
            jpeg_set_defaults(&info)
            if channels == 3, isUnconverted { jpeg_set_colorspace(&info, JCS_RGB) }
            if channels == 4 { jpeg_set_colorspace(&info, isUnconverted ? JCS_CMYK : JCS_YCCK) }
            jpeg_set_quality(&info, Int32(quality), 1)
            for (index, factors) in sampling.enumerated() {
                info.comp_info[index].h_samp_factor = Int32(factors.0)
                info.comp_info[index].v_samp_factor = Int32(factors.1)
            }
            info.restart_interval = UInt32(restartInterval)
            info.optimize_coding = hasOwnCodes ? 1 : 0
            if isProgressive { jpeg_simple_progression(&info) }
            if !scans.isEmpty {
                (info.scan_info, info.num_scans) = (UnsafePointer(script.baseAddress), Int32(scans.count))
            }
            jpeg_start_compress(&info, 1)
            var random = SeededRandom(seed: seed)
            var row = [UInt8](repeating: 0, count: width * channels)
            for y in 0..<height {
                for x in 0..<width {
                    for c in 0..<channels {
                        let smooth = (x * (3 + c) + y * (5 - c)) / 2 % 256
                        let grain = noise == 0 ? 0 : Int.random(in: -noise...noise, using: &random)
                        row[x * channels + c] = UInt8(clamping: smooth + grain)
                    }
                }
                row.withUnsafeMutableBufferPointer { row in
                    var rows: JSAMPROW? = row.baseAddress
                    _ = jpeg_write_scanlines(&info, &rows, 1)
                }
            }
        }
    }
}

/// Returns the file that libjpeg's encoder writes. `write` sets the parameters and passes all rows.
func writtenByLibjpeg(_ write: (inout jpeg_compress_struct) -> Void) -> [UInt8] {
    var info = jpeg_compress_struct()
    var errors = jpeg_error_mgr()
    info.err = jpeg_std_error(&errors)
    jpeg_CreateCompress(&info, JPEG_LIB_VERSION, MemoryLayout<jpeg_compress_struct>.size)
    var buffer: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    jpeg_mem_dest(&info, &buffer, &count)
    write(&info)
    jpeg_finish_compress(&info)
    jpeg_destroy_compress(&info)
    defer { free(buffer) }
    return Array(UnsafeBufferPointer(start: buffer, count: Int(count)))
}
