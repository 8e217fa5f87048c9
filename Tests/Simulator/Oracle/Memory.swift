import Glibc

func memoryIsEqual(
  _ one: UnsafeRawPointer, _ other: UnsafeRawPointer, _ count: Int
) -> Bool {
  memcmp(one, other, count) == 0
}
