import HTTP
import Libc
import Support

/// A connected TCP socket for one thread at a time. Closed when the last reference to this object is released.
///
/// Each call waits no longer than its operation allows, and throws `SystemFailure` and the operation's errors.
final class RedisSocket: Sendable {
    private let descriptor: Int32

    /// - Parameter limit: the time limit of the connection attempt.
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
        if getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) != 0 { code = errno }
        if code != 0 { throw SystemFailure(errno: code, "connect") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private func set(_ level: Int32, _ option: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Whether the connection is open and no bytes have arrived since the last reply.
    var isQuiet: Bool {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&watched, 1, 0) == 0
    }

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

    /// Receives at least one byte. Returns the number of bytes, or 0 at the end of the connection.
    func receive(into buffer: UnsafeMutableRawBufferPointer, _ operation: RemoteOperation) throws -> Int {
        while true {
            let count = recv(descriptor, buffer.baseAddress!, buffer.count, 0)
            if count < 0 {
                try retry("receive", POLLIN, errno, operation)
            } else {
                // Without this check, a server that sends without a pause would never reach a time limit.
                try operation.check()
                return count
            }
        }
    }

    /// Waits until a call that failed with `code` can be repeated, or throws if it cannot.
    private func retry(_ action: String, _ events: Int32, _ code: Int32, _ operation: RemoteOperation) throws {
        guard [EAGAIN, EWOULDBLOCK, EINTR].contains(code) else { throw SystemFailure(errno: code, action) }
        try wait(for: events, operation)
    }

    private func wait(for events: Int32, _ operation: RemoteOperation, check: () throws -> Void = {}) throws {
        var watched = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        repeat {
            try operation.check()
            try check()
            // Rounded up, because a wait that ends slightly too early would cost a second poll.
        } while poll(&watched, 1, Int32(operation.pause.milliseconds) + 1) <= 0
    }
}

private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}

extension IPAddress {
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
