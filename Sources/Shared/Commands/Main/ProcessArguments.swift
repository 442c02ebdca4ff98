import Libc
import Support

/// The memory that contains the process's command line. The kernel shows its contents to every user of the machine.
enum ProcessArguments {
    /// Overwrites the given parts of the command line with `*`. Overwrites the whole argument if it is not UTF-8, since
    /// offsets in `arguments` are then wrong for the memory. Does nothing if the memory cannot be found.
    /// `CommandLine.arguments` is a copy and does not change.
    ///
    /// The arguments are visible from the start of the process until this call, so a file is safer for a secret.
    ///
    /// - Parameter arguments: the words after the program's name.
    static func conceal(_ parts: [ArgumentSecrets.Part], of arguments: [String]) {
        guard let memory = memory(), let name = memory.firstIndex(of: 0) else { return }
        // The arguments are contiguous and terminated by NUL.
        var places: [Range<Int>] = []
        var start = name + 1
        while start < memory.count, let end = memory[start...].firstIndex(of: 0) {
            places.append(start..<end)
            start = end + 1
        }
        guard places.count == arguments.count else { return }
        for part in parts {
            let place = places[part.index]
            let isAsRead = memory[place].elementsEqual(arguments[part.index].utf8)
            for offset in isAsRead ? part.bytes : 0..<place.count {
                memory[place.lowerBound + offset] = UInt8(ascii: "*")
            }
        }
    }

    /// Returns the program's name and arguments, or nil if their address is unknown. The memory is writable, and after
    /// the start of the process only this function uses it.
    private static func memory() -> UnsafeMutableBufferPointer<UInt8>? {
        #if canImport(Darwin)
        guard let first = _NSGetArgv().pointee[0] else { return nil }
        let count = (0..<Int(_NSGetArgc().pointee)).reduce(0) { count, index in
            count + (_NSGetArgv().pointee[index].map { strlen($0) + 1 } ?? 0)
        }
        return UnsafeMutableBufferPointer(
            start: UnsafeMutableRawPointer(first).assumingMemoryBound(to: UInt8.self), count: count)
        #else
        // proc_pid_stat(5): fields 48 and 49, arg_start and arg_end. Split after the last bracket, because the second
        // field, the program's name in brackets, may contain spaces and brackets.
        guard let file = try? File.open("/proc/self/stat", O_RDONLY), let bytes = try? file.contents(atMost: 4096),
            let bracket = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = bytes[(bracket + 1)...].split { $0 <= 0x20 }.map { String(decoding: $0, as: UTF8.self) }
        guard fields.count > 46, let start = UInt(fields[45]), let end = UInt(fields[46]), start > 0, start < end,
            let first = UnsafeMutablePointer<UInt8>(bitPattern: start)
        else { return nil }
        return UnsafeMutableBufferPointer(start: first, count: Int(end - start))
        #endif
    }
}
