import Libc
import Support

/// An HTTP/1.1 server in the test process, on 127.0.0.1 and by default a free port. It has a thread for each
/// connection, and accepts at most 512 connections at a time. Stops when the last reference is released.
///
/// A test can break the protocol, since its closure receives the connection.
public final class LoopbackServer: Sendable {
    public let port: UInt16
    /// `http://127.0.0.1:PORT`.
    public var address: String { "http://127.0.0.1:\(port)" }

    private struct State {
        var stopped = false
        var connections: Set<Int32> = []
        var accepted = 0
    }

    /// The number of connections so far, including ended ones.
    public var acceptedCount: Int { state.withLock(\.accepted) }

    private static let mostConnections = 512

    private let state = Monitor(State())
    private let listener: Int32
    private let wake: (reading: Int32, writing: Int32)
    private let accepting: Thread

    /// Starts to listen.
    /// - Parameter answer: called for each request, on the connection's thread. An error ends the connection.
    public convenience init(
        port wanted: UInt16 = 0, answer: @escaping @Sendable (LoopbackRequest, LoopbackConnection) throws -> Void
    ) throws {
        try self.init(port: wanted) { connection in
            while connection.staysOpen, let request = try connection.readRequest() { try answer(request, connection) }
        }
    }

    /// Starts to listen for any protocol over TCP.
    /// - Parameter serve: called for each connection, on its thread. The connection ends when `serve` returns.
    public init(
        port wanted: UInt16 = 0, serve: @escaping @Sendable (LoopbackConnection) throws -> Void
    ) throws {
        let (listener, port) = try Self.listen(wanted)
        let wake = try makePipe()
        self.listener = listener
        self.port = port
        self.wake = wake
        accepting = try Thread.start { [state] in
            var watched = [
                pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0),
            ]
            while true {
                if poll(&watched, 2, -1) < 0 { continue }
                if watched[1].revents != 0 { return }
                let isStopped = state.wait { state in
                    state.stopped ? true : state.connections.count < Self.mostConnections ? false : nil
                }
                if isStopped { return }
                let descriptor = acceptConnection(listener)
                if descriptor >= 0 { Self.accept(descriptor, state, serve) }
            }
        }
    }

    /// Responds to each request with the result of the closure.
    public convenience init(respond: @escaping @Sendable (LoopbackRequest) -> LoopbackResponse) throws {
        try self.init { request, connection in try connection.send(respond(request), to: request) }
    }

    deinit { stop() }

    /// Ends all connections and stops listening. Later calls do nothing.
    public func stop() {
        let wasStopped = state.update { state in
            defer { state.stopped = true }
            for descriptor in state.connections { shutdown(descriptor, Int32(SHUT_RDWR)) }
            return state.stopped
        }
        if wasStopped { return }
        close(wake.writing)
        accepting.join()
        close(wake.reading)
        close(listener)
        // Waits at most 5 s for closures that are still running.
        _ = state.wait(atMost: .seconds(5)) { $0.connections.isEmpty ? true : nil }
    }

    private static func accept(
        _ descriptor: Int32, _ state: Monitor<State>, _ serve: @escaping @Sendable (LoopbackConnection) throws -> Void
    ) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        #if canImport(Darwin)
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
        let isOpen = state.withLock { state in
            if state.stopped { return false }
            state.accepted += 1
            return state.connections.insert(descriptor).inserted
        }
        guard isOpen else {
            close(descriptor)
            return
        }
        let thread = try? Thread.start {
            do {
                try serve(LoopbackConnection(descriptor))
            } catch {
                // The client has disconnected, or the test wants the connection to end.
            }
            state.update {
                $0.connections.remove(descriptor)
                close(descriptor)
            }
        }
        if let thread {
            thread.detach()
        } else {
            state.update { _ = $0.connections.remove(descriptor) }
            close(descriptor)
        }
    }

    private static func listen(_ wanted: UInt16) throws -> (Int32, UInt16) {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { throw SystemFailure(errno: errno, "make a socket") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = wanted.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
                guard bind(descriptor, address, size) == 0, listenForMany(descriptor) == 0 else { return -1 }
                return getsockname(descriptor, address, &size)
            }
        }
        guard status == 0 else {
            let failure = SystemFailure(errno: errno, "listen on 127.0.0.1:\(wanted)")
            close(descriptor)
            throw failure
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}

private func acceptConnection(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }

private func listenForMany(_ descriptor: Int32) -> Int32 { listen(descriptor, 512) }
