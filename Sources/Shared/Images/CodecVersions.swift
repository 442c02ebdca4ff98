import CAVIF
import CDeflate
import CLCMS
import CZlib
import Formats

/// Returns the name and version of each library that reads or writes pictures. Loads each optional library to ask for
/// its version, and omits libraries that are not installed.
@Sendable public func codecVersions() -> [String] {
    let colour = Int(cmsGetEncodedCMMversion())
    var versions = ImageDecoder.all.compactMap { $0.library() }
    if let avif = cavif_version() { versions.append("libavif \(String(cString: avif))") }
    versions += [
        "zlib \(String(cString: zlibVersion()))", "libdeflate \(LIBDEFLATE_VERSION_STRING)",
        "lcms2 \(colour / 1000).\(colour % 1000 / 10)",
    ]
    if let isaL = Inflater.isaLVersion { versions.append("ISA-L \(isaL)") }
    return versions
}
