import HTTP
import Libc
import Support

/// A connected TCP socket whose calls wait no longer than an operation allows.
///
/// Used by one thread at a time. Closed with the last reference.
final class RedisSocket: Sendable {
    private let descriptor: Int32

    /// Connects. Throws `SystemFailure`, and what the operation throws.
    ///
    /// - Parameter limit: how long that may take.
    init(_ address: IPAddress, port: Int, within limit: Duration, _ operation: RemoteOperation) throws {
        #if canImport(Darwin)
        let type = SOCK_STREAM
        #else
        let type = Int32(SOCK_STREAM.rawValue)
        #endif
        descriptor = socket(address.isIPv4 ? AF_INET : AF_INET6, type, 0)
        guard descriptor >= 0 else { throw SystemFailure(errno: errno, "open a socket") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        set(Int32(IPPROTO_TCP), TCP_NODELAY)
        #if canImport(Darwin)
        set(SOL_SOCKET, SO_NOSIGPIPE)
        #endif
        if address.withSocketAddress(port: port, { connect(descriptor, $0, $1) }) == 0 { return }
        guard errno == EINPROGRESS || errno == EINTR else { throw SystemFailure(errno: errno, "connect") }
        let end = SteadyTime.now() + limit
        try wait(for: POLLOUT, operation) {
            if SteadyTime.now() >= end { throw SystemFailure(errno: ETIMEDOUT, "connect") }
        }
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0, code == 0 else {
            throw SystemFailure(errno: code, "connect")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private func set(_ level: Int32, _ option: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Whether nothing has arrived since the last reply, not even the end of the connection.
    var isQuiet: Bool {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&watched, 1, 0) == 0
    }

    /// Sends all bytes. Throws `SystemFailure`, and what the operation throws.
    func send(_ bytes: [UInt8], _ operation: RemoteOperation) throws {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        try bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = sendBytes(descriptor, bytes.baseAddress! + done, bytes.count - done, flags)
                if count >= 0 { done += count } else { try retry("send", POLLOUT, errno, operation) }
            }
        }
    }

    /// Receives at least one byte; returns how many, 0 at the end of the connection. Throws `SystemFailure`, and what
    /// the operation throws.
    func receive(into buffer: UnsafeMutableRawBufferPointer, _ operation: RemoteOperation) throws -> Int {
        while true {
            let count = recv(descriptor, buffer.baseAddress!, buffer.count, 0)
            if count < 0 {
                try retry("receive", POLLIN, errno, operation)
            } else {
                // A server that never pauses must not keep a reply from ending.
                try operation.check()
                return count
            }
        }
    }

    /// Waits if the call that has just failed can be repeated; else throws.
    private func retry(_ action: String, _ events: Int32, _ code: Int32, _ operation: RemoteOperation) throws {
        guard [EAGAIN, EWOULDBLOCK, EINTR].contains(code) else { throw SystemFailure(errno: code, action) }
        try wait(for: events, operation)
    }

    private func wait(for events: Int32, _ operation: RemoteOperation, check: () throws -> Void = {}) throws {
        var watched = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        repeat {
            try operation.check()
            try check()
            // Rounded up: waiting slightly too short would mean looking twice.
        } while poll(&watched, 1, Int32(operation.pause.milliseconds) + 1) <= 0
    }
}

private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}

extension IPAddress {
    /// Calls `body` with the address as the system's calls take it.
    fileprivate func withSocketAddress<Result>(
        port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        func call<Address>(_ address: inout Address) -> Result {
            let size = MemoryLayout<Address>.size
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(size)) }
            }
        }
        if isIPv4 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
            withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
            return call(&address)
        }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = in_port_t(truncatingIfNeeded: port).bigEndian
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
        return call(&address)
    }
}
