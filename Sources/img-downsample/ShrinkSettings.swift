import Cache
import Commands
import Formats
import Images
import Records
import Support
import Variants

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The command line, checked.
struct ShrinkSettings {
    let variants: [Variant]
    let rendition: Rendition
    /// Where the plain form writes; nil for records.
    let output: String?
    /// What the output's extension says, unless --format says otherwise.
    let outputFormat: OutputFormat?
    let cache: CacheSettings

    init(_ command: ImgDownsample, _ context: ToolContext) throws {
        let width = try Self.side("width", command.width)
        let height = try Self.side("height", command.height)
        var variants = try Variant.list(command.variant)
        if width != nil || height != nil { variants.append(.custom(width: width, height: height)) }
        output = command.output
        if output != nil {
            guard command.outputDir == nil else { throw UsageFailure("-o and --output-dir exclude each other") }
            guard command.files.count == 1 else {
                throw UsageFailure("-o takes exactly one picture, not \(command.files.count); use --output-dir for more")
            }
            if variants.isEmpty { variants = [.custom(width: nil, height: nil)] }
            guard variants.count == 1 else { throw UsageFailure("-o takes one size; use --output-dir for more") }
        }
        guard !variants.isEmpty else {
            throw UsageFailure("say which size: --variant pager or overlay, --width, or --height")
        }
        guard command.nameTemplate == nil || command.outputDir != nil else {
            throw UsageFailure("--name-template goes with --output-dir")
        }
        self.variants = variants
        var rendition = Rendition()
        if let text = command.format, text != "auto" {
            guard let format = OutputFormat(rawValue: text == "jpg" ? "jpeg" : text) else {
                let names = ["auto"] + OutputFormat.allCases.map(\.rawValue)
                throw UsageFailure(
                    "--format takes \(names.joined(separator: ", ")), not \"\(text)\"\(NearMatch.advice(for: text, among: names))")
            }
            rendition.format = format
        }
        rendition.quality =
            try context.setting("quality", option: command.quality, expected: "a number from 1 to 100") { text in
                Int(text).flatMap { (1...100).contains($0) ? $0 : nil }
            } ?? Rendition.standardQuality
        self.rendition = rendition
        if let output, output != "-", command.format == nil {
            let name = output.split(separator: "/").last ?? ""
            let ending = name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? ""
            guard let format = OutputFormat(fileExtension: ending) else {
                throw UsageFailure(
                    "cannot tell the format from the name \(output): end it in .jpg, .png or .webp, or give --format")
            }
            outputFormat = format
        } else {
            outputFormat = nil
        }
        cache = try command.common.cacheSettings(context)
    }

    func tool(_ destination: ShrinkTool.Destination, _ context: ToolContext) -> ShrinkTool {
        ShrinkTool(
            variants: variants, rendition: rendition, destination: destination, interruption: context.interruption)
    }

    /// JPEG, which ends at 65535, has the largest sides.
    private static func side(_ name: String, _ text: String?) throws -> Int? {
        guard let text else { return nil }
        guard let value = Int(text), (1...65_535).contains(value) else {
            throw UsageFailure("--\(name) takes pixels from 1 to 65535, not \"\(text)\"")
        }
        return value
    }
}

/// What a FILE argument turns out to be.
enum PictureInput {
    case file(File)
    case bytes([UInt8])
    /// Standard input begins like JSON.
    case records

    /// Opens the file, or reads standard input for `-`. What is no file on a disk is read whole.
    init(_ argument: String) throws {
        let isStandardInput = argument == "-"
        let file =
            try isStandardInput
            ? File(descriptor: 0, path: "standard input", closes: false) : File.openInput(argument)
        guard isStandardInput || !file.isRegular else {
            self = .file(file)
            return
        }
        let limit = DecodeLimits.standard.maxInputBytes
        // Enough to tell JSON from a picture, so that nobody waits for the end of a stream of records.
        let head = try file.contents(atMost: 64)
        if isStandardInput, Self.beginsAsJSON(head) {
            self = .records
            return
        }
        let bytes = try head + file.contents(atMost: limit)
        guard bytes.count <= limit else { throw ImageError.tooManyBytes(bytes.count, limit: limit) }
        self = .bytes(bytes)
    }

    private static func beginsAsJSON(_ bytes: [UInt8]) -> Bool {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let first = text.first { $0 > 0x20 }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}
