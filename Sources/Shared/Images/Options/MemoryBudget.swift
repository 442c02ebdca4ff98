import CCodecs
import Formats
import Support

/// Makes malloc return large blocks, such as whole pictures, to the system when they are freed. A run then uses only
/// the memory of its current pictures. Call this before starting threads.
public func returnLargeBlocks() { apod_return_large_blocks() }

/// The memory that all pictures of a run share for formats that do not stream.
///
/// A picture reserves memory before it allocates, and waits while other pictures hold too much. Two pictures that both
/// hold memory and need more could deadlock, so these rules apply:
///
/// * Pictures that hold no memory wait in order of arrival, behind pictures that hold memory and need more.
/// * A picture that holds memory and needs more waits while any other picture with memory is still working, because
///   that picture will end and free its memory. If all pictures with memory wait, the first in the queue continues, and
///   exceeds the total until another picture has ended.
/// * A picture never holds more than the total. A request for more fails immediately, regardless of other pictures.
public final class MemoryBudget: Sendable {
    public let total: Int
    private let state = Monitor(State())

    private struct State {
        /// The bytes that each picture holds, never 0. At most one entry per thread.
        private var held: [(picture: Int, bytes: Int)] = []
        /// Waiting pictures that hold no memory, in order.
        var beginning: [Int] = []
        /// Waiting pictures that hold memory, in order.
        var growing: [Int] = []
        var pictures = 0
        var used = 0

        func held(by picture: Int) -> Int { held.first { $0.picture == picture }?.bytes ?? 0 }

        /// Adds bytes to a picture. A negative number frees bytes.
        mutating func hold(_ bytes: Int, for picture: Int) {
            if bytes == 0 { return }
            used += bytes
            guard let place = held.firstIndex(where: { $0.picture == picture }) else {
                return held.append((picture, bytes))
            }
            held[place].bytes += bytes
            if held[place].bytes <= 0 { held.remove(at: place) }
        }

        mutating func stopWaiting(_ picture: Int) {
            if let place = beginning.firstIndex(of: picture) { beginning.remove(at: place) }
            if let place = growing.firstIndex(of: picture) { growing.remove(at: place) }
        }

        func isTurn(of picture: Int, for bytes: Int, total: Int) -> Bool {
            if used + bytes <= total {
                return held(by: picture) > 0 || growing.isEmpty && beginning.first == picture
            }
            return growing.first == picture && held.allSatisfy { growing.contains($0.picture) }
        }
    }

    public init(bytes total: Int = DecodeLimits.standard.maxMemoryBytes) { self.total = total }

    public var used: Int { state.withLock { $0.used } }

    /// The number of waiting pictures.
    var waiting: Int { state.withLock { $0.beginning.count + $0.growing.count } }

    func newPicture() -> Int {
        state.withLock { state in
            state.pictures += 1
            return state.pictures
        }
    }

    /// Waits until the picture may hold this many more bytes. Throws `.tooMuchMemory` if the picture alone would exceed
    /// the total, and `Cancelled`.
    func reserve(_ bytes: Int, for picture: Int, interruption: Interruption) throws -> MemoryReservation {
        let bytes = max(bytes, 0)
        try state.withLock { state throws in
            let (sum, overflow) = bytes.addingReportingOverflow(state.held(by: picture))
            guard !overflow, sum <= total else {
                throw ImageError.tooMuchMemory(bytes: overflow ? .max : sum, limit: total)
            }
            if state.held(by: picture) == 0 { state.beginning.append(picture) } else { state.growing.append(picture) }
        }
        // Wakes other pictures: if all pictures with memory wait now, the first of them may continue.
        state.update { _ in }
        defer { state.update { $0.stopWaiting(picture) } }
        while true {
            // Wakes up regularly to check for an interruption.
            let isGranted = state.wait(atMost: .milliseconds(50)) { state -> Bool? in
                guard state.isTurn(of: picture, for: bytes, total: self.total) else { return nil }
                state.stopWaiting(picture)
                state.hold(bytes, for: picture)
                return true
            }
            if isGranted != nil { return MemoryReservation(self, bytes, picture) }
            try interruption.check()
        }
    }

    /// Counts bytes without waiting, even if all pictures together exceed the total.
    func count(_ bytes: Int, for picture: Int) throws -> MemoryReservation {
        let bytes = max(bytes, 0)
        guard bytes <= total else { throw ImageError.tooMuchMemory(bytes: bytes, limit: total) }
        state.update { $0.hold(bytes, for: picture) }
        return MemoryReservation(self, bytes, picture)
    }

    fileprivate func free(_ bytes: Int, of picture: Int) {
        if bytes > 0 { state.update { $0.hold(-bytes, for: picture) } }
    }
}

/// Memory that a picture holds until this object is released.
public final class MemoryReservation: Sendable {
    public let bytes: Int
    private let budget: MemoryBudget
    private let picture: Int

    fileprivate init(_ budget: MemoryBudget, _ bytes: Int, _ picture: Int) {
        self.budget = budget
        self.bytes = bytes
        self.picture = picture
    }

    deinit { budget.free(bytes, of: picture) }
}
