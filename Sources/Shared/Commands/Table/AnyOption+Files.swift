import Options
import Records

/// Options of output files and their names.
extension AnyOption {
    public static let outputDir = Option.path(
        "output-dir", .files, as: "DIR", isFolder: true,
        summary: "Write files into this folder.",
        manual: "It is made if it is missing. A link in the folder is not followed.")

    public static let nameTemplate = Option<NameTemplate>(
        "name-template", form: .value("TEMPLATE"), expected: "a template such as {date}.{ext}", group: .files,
        summary: "Names of the files, such as {date}-{variant}.{ext}.",
        manual: """
            {stem}, {ext}, {width}, {height}, {variant}, {sha256:8} and fields of the record are filled in. \
            {title:40} is at most 40 bytes long, {date:%Y/%m} is parts of a date, {credit|unknown} has a text for \
            what is missing. A slash makes folders; no name leads out of the folder. Two pictures with the same name \
            in one run are an error (73), and so is a field that is missing (65).
            """, read: { try NameTemplate($0) }
    ).whenUnset("\(NameTemplate.original.text), of variants \(NameTemplate.variant.text)")

    public static let overwrite = Option.flag(
        "overwrite", .files, summary: "Replace files of --output-dir that differ.")
}

extension [AnyOption] {
    /// The options of a command that copies originals into a folder.
    public static let copies: [AnyOption] = [.outputDir, .nameTemplate, .overwrite, .sync]
}
