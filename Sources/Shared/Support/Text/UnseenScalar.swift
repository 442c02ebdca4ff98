extension Unicode.Scalar {
    /// Whether the character is invisible and changes how other text looks: a control, a line or paragraph separator,
    /// or a format character that hides or reorders text (Unicode 15, categories Cc, Zl, Zp and Cf). Used for
    /// terminals, file names and titles.
    public var isUnseen: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F,  // C0, DEL, C1
            0xAD, 0x180E,  // soft hyphen, Mongolian vowel separator
            0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x206F,  // direction
            0x200B...0x200D, 0x2060...0x2065, 0xFEFF,  // zero width
            0x2028...0x2029, 0xFFF9...0xFFFB,  // separators, interlinear annotation
            0xE0000...0xE007F:  // tags
            true
        default: false
        }
    }

    /// Whether the character is a control (category Cc).
    public var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }

    /// Whether the character is a zero-width joiner or non-joiner, which Persian, Indic scripts and emoji need.
    public var isJoiner: Bool { value == 0x200C || value == 0x200D }
}
