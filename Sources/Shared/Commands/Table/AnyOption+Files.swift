import Options
import Records

extension AnyOption {
    public static let outputDir = Option.path(
        "output-dir", .files, as: "DIR", isFolder: true,
        summary: "Write files into this folder.",
        manual: "A missing folder is created. Links in the folder are not followed.")

    public static let nameTemplate = Option<NameTemplate>(
        "name-template", form: .value("TEMPLATE"), group: .files,
        summary: "File name template, such as {date}-{variant}.{ext}.",
        manual: """
            Braces contain {stem}, {ext}, {width}, {height}, {variant}, {sha256:8} or a field of the record. \
            {title:40} is cut to 40 bytes, {date:%Y/%m} formats a date, and {credit|unknown} becomes unknown if the \
            record has no credit. A missing field without such a default is an error (65). A slash separates folders, \
            which are created; no name leads out of --output-dir. If two pictures of a run have the same name, the \
            second is an error (73).
            """, read: { try NameTemplate($0) }
    ).whenUnset("\(NameTemplate.original.text), for variants \(NameTemplate.variant.text)")

    public static let overwrite = Option.flag(
        "overwrite", .files, summary: "Replace existing files in --output-dir that differ.")
}

extension [AnyOption] {
    /// The options of a command that copies originals into a folder.
    public static let copies: [AnyOption] = [.outputDir, .nameTemplate, .overwrite, .sync]
}
