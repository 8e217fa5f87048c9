/// A change from the schema that a file has to the one that the program wants.
public final class Migration {
  /// The schema of the file.
  public let oldSchema: Schema
  /// The schema of the program.
  public let newSchema: Schema

  init(from oldSchema: Schema, to newSchema: Schema) {
    self.oldSchema = oldSchema
    self.newSchema = newSchema
  }
}
