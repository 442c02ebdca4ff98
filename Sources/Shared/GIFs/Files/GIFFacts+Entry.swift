import Fetch
import Store
import Support

extension GIFFacts {
    /// From the note that an entry was kept with; from its file where the index was lost and restored without notes.
    /// Nil if that is no GIF. Throws `SystemFailure` where it cannot be read.
    init?(of entry: Entry) throws {
        if let facts = entry.details.flatMap(GIFFacts.init(note:)) {
            self = facts
            return
        }
        do {
            self = try GIFAcceptance.inspect(File.openInput(entry.path))
        } catch is GIFFailure {
            return nil
        }
    }
}
