import Records

extension Record {
    /// Gives a record that came in the fields of a picture's record. Those that are there already are replaced in their
    /// places, new ones come last; what an earlier run has left and this picture doesn't have is taken away. All others
    /// stay as they are.
    mutating func takePicture(_ made: Record) {
        for name in Picture.fieldNames where has(name) && !made.has(name) { remove(name) }
        for name in made.names {
            guard let path = FieldPath(name), let value = made.raw(path) else { continue }
            set(name, .raw(Array(value)))
        }
    }
}
