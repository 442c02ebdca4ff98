import Libc
import Support

/// Runs a target under libFuzzer: `fuzz TARGET [LIBFUZZER-OPTION...] [FOLDER...]`. `fuzz --list` prints the targets,
/// and `fuzz --seeds TARGET FOLDER` writes the initial inputs of a target.
@main struct Fuzz {
    /// The target of libFuzzer's callback, which is a C function without a context. Set once, before the fuzzer runs.
    nonisolated(unsafe) private static var target = Target.records

    static func main() throws {
        var arguments = CommandLine.arguments.dropFirst()
        guard let first = arguments.popFirst() else { end(64, "usage: fuzz TARGET [LIBFUZZER-OPTION...] [FOLDER...]") }
        if first == "--list" {
            for target in Target.allCases { print(target.rawValue) }
        } else if first == "--seeds", arguments.count == 2, let name = arguments.popFirst(),
            let target = Target(rawValue: name), let folder = arguments.first
        {
            try writeSeeds(of: target, to: folder)
        } else if let chosen = Target(rawValue: first) {
            target = chosen
            exit(runFuzzer([CommandLine.arguments[0]] + arguments))
        } else {
            end(64, "fuzz: \(first): no such target; fuzz --list prints them")
        }
    }

    private static func writeSeeds(of target: Target, to folder: String) throws {
        for (number, seed) in try target.seeds().enumerated() {
            let file = try File.open("\(folder)/seed-\(number)", O_WRONLY | O_CREAT | O_TRUNC, purpose: .makeOutput)
            try file.write(seed)
        }
    }

    private static func runFuzzer(_ arguments: [String]) -> Int32 {
        // The arguments live as long as the process.
        let words = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: arguments.count + 1)
        for (index, argument) in arguments.enumerated() { words[index] = strdup(argument) }
        words[arguments.count] = nil
        var count = Int32(arguments.count)
        var vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = words
        return runDriver(&count, &vector) { bytes, count in
            Fuzz.target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
            return 0
        }
    }

    private static func end(_ status: Int32, _ message: String) -> Never {
        Log.standardError(message + "\n")
        exit(status)
    }
}

/// The main function of libFuzzer (FuzzerInterface.h, `LLVMFuzzerRunDriver`).
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
