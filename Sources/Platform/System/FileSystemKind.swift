extension FileSystemKind {
  /// From the `f_type` of statfs. A file system is refused only if it is known to be shared with
  /// other machines, or with the host of a virtual machine: there, byte locks or shared mappings do
  /// not reach every process. FUSE is refused because a daemon may be anything (virtiofs is FUSE
  /// too).
  init(magic: UInt32) {
    self = FileSystemKind.shared[magic].map { .notCoherent(name: $0) } ?? .local
  }

  private static let shared: [UInt32: String] = [
    0x6969: "NFS",
    0x517B: "SMB",
    0xFF53_4D42: "CIFS",
    0xFE53_4D42: "SMB2",
    0x564C: "NCP",
    0x0102_1997: "9P",
    0x6573_5546: "FUSE or virtiofs",
    0x00C3_6400: "Ceph",
    0x5346_414F: "AFS",
    0x6B41_4653: "AFS",
    0x7375_7245: "Coda",
    0x786F_4256: "VirtualBox shared folder",
    0xBACB_ACBC: "VMware shared folder",
    0x7C7C_6673: "Parallels shared folder",
    0x0116_1970: "GFS2",
    0x7461_636F: "OCFS2",
    0x0BD0_0BD0: "Lustre",
    0x4750_4653: "GPFS",
    0x1983_0326: "BeeGFS",
    0x2003_0528: "OrangeFS",
  ]
}
