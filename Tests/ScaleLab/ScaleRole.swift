import ProcessLab

/// What a child process of these runs does, by its arguments.
public enum ScaleRole {
  /// False if the arguments name none of these roles.
  public static func run(_ arguments: [String]) throws -> Bool {
    let words = Words(arguments)
    switch words.text(0) {
    case "leaves": LeafClient(words).run()
    case "persons": PersonClient(words).run()
    case "many-files": try ManyFilesClient(words).run()
    case "change-leaves": try LeafChanger(words).run()
    case "watch-leaves": try LeafWatcher(words).run()
    default: return false
    }
    return true
  }
}
