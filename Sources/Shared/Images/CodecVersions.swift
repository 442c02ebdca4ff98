import CAVIF
import CCodecs
import CDeflate
import CHEIF
import CJXL
import CLCMS
import CTIFF
import CWebP
import CZlib
import Formats

/// Returns name and version of each library that reads or writes pictures. Loads those that are
/// loaded when they are first used, if they are installed.
@Sendable public func codecVersions() -> [String] {
    let webP = Int(WebPGetDecoderVersion())
    let colour = Int(cmsGetEncodedCMMversion())
    var versions = [
        String(cString: apod_jpeg_version()),
        "libpng \(String(cString: apod_png_version()))",
        "zlib \(String(cString: zlibVersion()))",
        "libdeflate \(LIBDEFLATE_VERSION_STRING)",
        "libwebp \(webP >> 16).\(webP >> 8 & 0xFF).\(webP & 0xFF)",
        "lcms2 \(colour / 1000).\(colour % 1000 / 10)",
    ]
    if let isaL = Inflater.isaLVersion { versions.append("ISA-L \(isaL)") }
    if let avif = cavif_version() { versions.append("libavif \(String(cString: avif))") }
    // "LIBTIFF, Version 4.5.0" and a copyright.
    if let tiff = ctiff_version() {
        let digits = String(cString: tiff).drop { !$0.isNumber }.prefix { $0.isNumber || $0 == "." }
        versions.append("libtiff \(digits)")
    }
    if let heif = cheif_version() { versions.append("libheif \(String(cString: heif))") }
    let jpegXL = cjxl_version()
    if jpegXL > 0 { versions.append("libjxl \(jpegXL / 1_000_000).\(jpegXL / 1000 % 1000).\(jpegXL % 1000)") }
    return versions
}
