import CAVIF
import CCodecs
import CLCMS
import CWebP
import CZlib

/// Returns name and version of each library that reads or writes pictures. Loads libavif, if it is installed.
@Sendable public func codecVersions() -> [String] {
    let webP = Int(WebPGetDecoderVersion())
    let colour = Int(cmsGetEncodedCMMversion())
    var versions = [
        String(cString: apod_jpeg_version()),
        "libpng \(String(cString: apod_png_version()))",
        "zlib \(String(cString: zlibVersion()))",
        "libwebp \(webP >> 16).\(webP >> 8 & 0xFF).\(webP & 0xFF)",
        "lcms2 \(colour / 1000).\(colour % 1000 / 10)",
    ]
    if let avif = cavif_version() { versions.append("libavif \(String(cString: avif))") }
    return versions
}
