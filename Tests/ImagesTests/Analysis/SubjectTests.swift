import Formats
import Support
import TestSupport
import Testing

@testable import Images

/// The hand-marked subject of a photograph, which a crop must keep.
private struct Subject {
    /// The file in the corpus, below `images`.
    let file: String
    /// Fractions of the upright picture's sides.
    let left: Double, top: Double, right: Double, bottom: Double

    init(_ file: String, _ left: Double, _ top: Double, _ right: Double, _ bottom: Double) {
        (self.file, self.left, self.top, self.right, self.bottom) = (file, left, top, right, bottom)
    }

    /// Returns the fraction of the subject that a crop keeps, relative to the most that a crop of this size can keep.
    func kept(_ axis: Saliency.Axis, share: Double, offset: Double) -> Double {
        let (low, high) = axis == .horizontal ? (left, right) : (top, bottom)
        let start = offset * (1 - share)
        return max(min(high, start + share) - max(low, start), 0) / min(high - low, share)
    }

    static let all = [
        Subject("photos/2029.jpg", 0.42, 0.19, 0.66, 0.46),
        Subject("photos/8k-progressive-444.jpg", 0.28, 0.05, 0.68, 0.78),
        Subject("photos/MW_2mass.jpg", 0.35, 0.4, 0.65, 0.6),
        Subject("photos/adobe-rgb-2000.jpg", 0.35, 0.2, 0.68, 0.68),
        Subject("photos/app13-multiple.jpg", 0.17, 0.24, 0.88, 0.9),
        Subject("photos/astronaut-5250-progressive.jpg", 0.45, 0.12, 0.88, 0.75),
        Subject("photos/baseline.jpeg", 0.4, 0.17, 0.6, 0.6),
        Subject("photos/cmyk-transform0.jpg", 0.09, 0.05, 0.88, 0.85),
        Subject("photos/default_apod_image.jpg", 0.35, 0.27, 0.65, 0.75),
        Subject("photos/flower.png.im_q85_420_progr.jpg", 0.38, 0.28, 0.76, 0.76),
        Subject("photos/flower_cropped.jpg", 0.5, 0.42, 0.85, 0.76),
        Subject("photos/flower_small.q85_420_non_interleaved.jpg", 0.66, 0.42, 1, 0.85),
        Subject("photos/indexed.png", 0.38, 0.03, 0.7, 0.35),
        Subject("photos/m31-andromeda.png", 0.35, 0.3, 0.65, 0.62),
        Subject("photos/phone-12mp-display-p3.jpg", 0.63, 0.52, 0.91, 0.98),
        Subject("photos/pil123rgba-interlaced.png", 0.25, 0.08, 0.68, 0.5),
        Subject("photos/rgb.jpg", 0.52, 0.17, 0.78, 0.93),
        Subject("photos/sos_news.jpeg", 0.27, 0.34, 0.83, 0.83),
        Subject("photos/testorig.jpg", 0.21, 0.15, 0.84, 0.95),
        Subject("photos/tmshre_riaphotographs_alpha.png", 0.45, 0.27, 0.8, 0.65),
        Subject("photos/video-001.jpeg", 0.08, 0.1, 0.93, 0.45),
        Subject("photos/video-005.gray.jpeg", 0.4, 0.07, 0.85, 0.55),
        Subject("photos/ycck-swop-icc.jpg", 0.52, 0.17, 0.78, 0.93),
        Subject("exif/Landscape_1.jpg", 0.6, 0.08, 0.83, 0.95),
        Subject("webp/4.webp", 0.14, 0.05, 0.86, 0.85),
        Subject("webp/advertises_rgba_but_frames_are_rgb.webp", 0.23, 0.12, 0.77, 0.9),
        Subject("webp/blue-purple-pink-large.normal-filter.lossy.webp", 0.05, 0.25, 0.97, 0.83),
        Subject("webp/flower2.webp", 0.33, 0.08, 0.86, 0.7),
        Subject("webp/transparent.webp", 0.33, 0.28, 0.67, 0.75),
        Subject("webp/tux.lossless.webp", 0.3, 0.1, 0.7, 0.52),
        Subject("webp/yellow_rose.lossless.webp", 0.02, 0.08, 0.76, 0.97),
        Subject("webp/hopper.webp", 0.27, 0.08, 0.69, 0.6),
        Subject("gif/cat.gif", 0.36, 0.05, 0.66, 0.62),
        Subject("gif/hippopotamus.interlaced.gif", 0.04, 0.04, 0.94, 0.88),
        Subject("gif/rotating-earth-44-frames.gif", 0.15, 0.08, 0.84, 0.78),
        Subject("gif/muybridge.gif", 0.25, 0.1, 0.9, 0.82),
        Subject("gif/traffic_light.gif", 0.3, 0.1, 0.72, 0.36),
        Subject("gif/cramps.gif", 0.4, 0.27, 0.74, 0.75),
    ]
}

/// Whether crops of photographs keep their subjects.
@Suite(.enabled(if: Corpus.isPresent)) struct SubjectTests {
    private static let shapes = [1, 16.0 / 9, 9.0 / 16, 2, 0.8, 4.0 / 3]
    /// The smallest value of `kept` for a crop that keeps its subject.
    private static let enough = 0.9

    private func small(_ file: String) throws -> PixelBuffer {
        let source = try MemorySource(Corpus.bytes("images/\(file)"))
        let sink = MemorySink()
        let output = Output(
            Geometry(width: 256, height: 256), encoding: EncodeOptions(format: .png), frame: 0, sink: sink)
        try downsample(source, inspect(source), to: [output]) { _, _ in }
        return try decode(MemorySource(sink.bytes))
    }

    /// For each subject and each aspect ratio that requires a crop, the fractions that the attention crop and the
    /// centred crop keep.
    private func crops() throws -> [(name: String, attention: Double, center: Double)] {
        try Subject.all.flatMap { subject in
            let picture = try small(subject.file)
            let ratio = Double(picture.size.width) / Double(picture.size.height)
            return Self.shapes.filter { abs(ratio / $0 - 1) > 0.02 }.map { shape in
                let axis = ratio > shape ? Saliency.Axis.horizontal : .vertical
                let share = min(shape / ratio, ratio / shape)
                let offset = Saliency.attention.cropOffset(in: picture, keeping: share, along: axis)
                return (
                    "\(subject.file) as \(shape): at \(offset)",
                    subject.kept(axis, share: share, offset: offset), subject.kept(axis, share: share, offset: 0.5)
                )
            }
        }
    }

    @Test func attentionCropKeepsMostSubjectsAndEverySubjectThatACentredCropKeeps() throws {
        let crops = try crops()
        let lost = crops.filter { $0.attention < Self.enough }
        #expect(crops.count > 200 && lost.count * 100 <= crops.count * 9, "\(lost.count) of \(crops.count): \(lost)")
        let worse = lost.filter { $0.center >= Self.enough }
        #expect(worse.isEmpty, "\(worse)")
    }
}
