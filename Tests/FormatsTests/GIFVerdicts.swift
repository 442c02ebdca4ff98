/// The error codes of refused GIFs in the corpus, by file name. All other GIFs are accepted, including GIFs with frames
/// outside the canvas or invalid pixel data.
enum GIFVerdicts {
    static let refused: [String: String] = [
        // Not a picture, or another format.
        "bug778584.gif": "not-an-image",
        "empty.gif": "empty-body",
        "jpeg-inside.gif": "not-a-gif",
        // Truncated.
        "gif-bomb-64953x27745-ee2eaca8.gif": "truncated-image",
        "invalid.4.gif": "truncated-image",
        "vips-truncated.gif": "truncated-image",
        // Too little data for the pixels.
        "pixel-data-none.gif": "truncated-image",
        // A canvas without pixels.
        "gif-bad-loop-ext-58819816.gif": "corrupt-image",
        "gif-zero-size-frames-0373637d.gif": "corrupt-image",
        "issue-96-small-codesize.gif": "corrupt-image",
        "zero-size.gif": "corrupt-image",
        "zero-width.gif": "corrupt-image",
        "zero_width.gif": "corrupt-image",
        // No frame, or a frame without pixels.
        "image-zero-size.gif": "corrupt-image",
        "image-zero-width.gif": "corrupt-image",
        "no-data.gif": "corrupt-image",
        "no-frames.gif": "corrupt-image",
        "zero-width-frame.gif": "corrupt-image",
        // Invalid code sizes.
        "decompression_bomb.gif": "corrupt-image",
        "issue-117-out-of-range.gif": "corrupt-image",
        "overflow-codes-max.gif": "corrupt-image",
        "overflow-codes.gif": "corrupt-image",
        // Unknown blocks, and invalid extensions.
        "gif-bad-graphic-ext-474fa9ae.gif": "corrupt-image",
        "gif-unknown-block-e3a9b2fd.gif": "corrupt-image",
        "invalid.1.gif": "corrupt-image",
        "invalid.2.gif": "corrupt-image",
        "invalid_multiframe.gif": "corrupt-image",
        "test_extents_transparency.gif": "corrupt-image",
        "zero-loop-count.gif": "corrupt-image",
    ]
}
