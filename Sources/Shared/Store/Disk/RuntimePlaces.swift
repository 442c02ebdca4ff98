import Libc
import Support

/// Where things lie that must not outlast the user's session, or not lie on a disk:
/// ```
/// $XDG_RUNTIME_DIR/apod-tools           caches in memory, one for each root and scope (`MemoryPlace`), and the file
///                                       `use` (`MemoryUse`); else /dev/shm/apod-tools-<uid>
/// $XDG_RUNTIME_DIR/apod-tools-bypass    files past the cache; else /dev/shm/apod-tools-bypass-<uid>,
///                                       else the same in $TMPDIR or /tmp
/// ```
/// All of them are 0700 and ours (`PrivateFolder`). Naming them costs nothing and looks at nothing.
public struct RuntimePlaces: Sendable {
    /// Where caches in memory may be, the best folder first. What was once written in any of them is found in all.
    package let memory: [String]
    /// Where files past the cache may lie, the best place first.
    package let bypass: [String]

    public init(environment: Environment) {
        let user = geteuid()
        let runtime = environment.folder("XDG_RUNTIME_DIR").map { [Self.trimmed($0)] } ?? []
        let temporary = environment.folder("TMPDIR").map(Self.trimmed) ?? "/tmp"
        memory = runtime.map { "\($0)/apod-tools" } + ["/dev/shm/apod-tools-\(user)"]
        bypass =
            runtime.map { "\($0)/apod-tools-bypass" }
            + ["/dev/shm", temporary].map { "\($0)/apod-tools-bypass-\(user)" }
    }

    /// For tests.
    init(memory: [String], bypass: [String]) {
        self.memory = memory
        self.bypass = bypass
    }

    private static func trimmed(_ path: String) -> String {
        path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// The folder for caches in memory; made where it is missing. Throws `CacheFailure.noMemory`.
    package func memoryFolder() throws -> String {
        #if canImport(Darwin)
        throw CacheFailure.noMemory(reason: "this system has no memory-backed folders")
        #else
        return try first(of: memory) { folder in
            PrivateFolder.isInMemory(folder) ? nil : "\(folder.path) is not in memory"
        } else: {
            CacheFailure.noMemory(reason: $0)
        }.path
        #endif
    }

    /// The folder for what is known of all that lies in memory: that for caches, else that for files past the cache.
    /// Throws `CacheFailure.noRuntimeFolder`.
    func ledgerFolder() throws -> String { try (try? memoryFolder()) ?? bypassFolder().path }

    /// The folder for files past the cache, open; made where it is missing. Throws `CacheFailure.noRuntimeFolder`.
    package func bypassFolder() throws -> Folder {
        try first(of: bypass, refusal: { _ in nil }, else: { CacheFailure.noRuntimeFolder(reason: $0) })
    }

    private func first(
        of places: [String], refusal: (Folder) -> String?, else failure: (String) -> CacheFailure
    ) throws -> Folder {
        var reasons: [String] = []
        for place in places {
            do {
                let folder = try PrivateFolder.open(place, making: true)
                guard let reason = refusal(folder) else { return folder }
                // Made a moment ago for nothing; one with something in it stays.
                place.withPathPointer { _ = rmdir($0) }
                reasons.append(reason)
            } catch let failure as UnsafePlace {
                reasons.append("\(failure.path) is not safe: \(failure.reason)")
            } catch let failure as SystemFailure {
                reasons.append("\(place): \(systemMessage(failure.errno))")
            }
        }
        throw failure(reasons.joined(separator: "; "))
    }

    /// The folder of caches in memory in which a path lies, made or not; nil if in none.
    package func memoryFolder(of path: String) -> String? { memory.first { Self.contains($0, path) } }

    /// Whether a path lies where files past the cache do.
    package func isBypassed(_ path: String) -> Bool { bypass.contains { Self.contains($0, path) } }

    private static func contains(_ folder: String, _ path: String) -> Bool {
        path.utf8.starts(with: folder.utf8) && path.utf8.dropFirst(folder.utf8.count).first == UInt8(ascii: "/")
    }

    /// The same places with the links in the folders above them resolved, as resolved paths have them.
    package var resolved: RuntimePlaces {
        func resolve(_ path: String) -> String {
            guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
                let found = resolvedPath(String(path[..<slash]))
            else { return path }
            return found + String(path[slash...])
        }
        return RuntimePlaces(memory: memory.map(resolve), bypass: bypass.map(resolve))
    }
}
