import Records
import Support

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// One finding of a command that reports: for a person, and for a program.
struct ReportLine {
    let text: String
    let json: JSON
}

/// Writes lines to a terminal, and NDJSON anywhere else or where that is wished for.
func writeReport(asJSON: Bool, _ lines: [ReportLine]) throws {
    let forPrograms = asJSON || isatty(1) != 1
    let output = try File(descriptor: 1, path: "standard output", closes: false)
    try output.write(lines.flatMap { (forPrograms ? $0.json.bytes : Array($0.text.utf8)) + [UInt8(ascii: "\n")] })
}
