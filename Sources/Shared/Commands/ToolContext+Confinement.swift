import Fetch
import Libc
import Store
import Support

extension ToolContext {
    /// Gives up all rights that a command does not need, for good: see `Confinement`. Call it after the options are
    /// read, before there are other threads, and before anything of strangers is looked at: a record, an index, a
    /// picture.
    ///
    /// Makes missing folders of the cache that may be needed, as they could not be made later. A command that makes
    /// none, but reads what another one writes, waits for that one to make the root.
    public func confine(_ settings: CacheSettings, _ needs: Needs = Needs()) {
        guard isConfined else { return log.detail("not confined, as was asked for") }
        if needs.readsInput, !needs.changesCache, !File.exists(settings.root), !Terminal.isTerminal(0) {
            waitForInput()
        }
        if needs.usesCache { settings.makeFolders(root: needs.changesCache) }
        let enforcement = Confinement(needs, cache: settings.folders, environment: environment).enforce()
        log.detail(enforcement.words)
    }

    /// Waits until there is something to read on standard input, or it ends.
    private func waitForInput() {
        var watched = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        while poll(&watched, 1, -1) < 0, errno == EINTR {}
    }
}
