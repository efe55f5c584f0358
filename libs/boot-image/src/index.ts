export { BootImageError, type BootImageErrorCode, type BootImageProblem } from './boot-image.error';
export {
  blockCachedSource,
  bufferByteSource,
  concatSources,
  RANGE_CHUNK_BYTES,
  readRange,
  readWhole,
  REMOTE_CACHE,
  sliceSource,
  zeroSource,
  type BlockCacheLimits,
  type ByteSource,
} from './byte-source';
export { overlaySource, type Overlay } from './overlay-source';
export {
  customiseBootIso,
  isCoreOsVolumeId,
  readBootIsoLayout,
  type BootIsoCustomisation,
  type BootIsoLayout,
} from './boot-iso';
export { fileSource, openIso, type Extent, type IsoEntry, type IsoImage } from './iso/iso-image';
export { parseCatalogue, readBootCatalogue, type BootCatalogue, type BootEntry } from './iso/el-torito';
export {
  createIgnitionArchive,
  fillIgnitionArea,
  IGNITION_ARCHIVE_BYTES_MAX,
  IGNITION_AREA_BYTES_MAX,
  ignitionConfigOf,
  locateIgnitionArea,
  readIgnitionConfig,
  type IgnitionArea,
  type SystemConfig,
} from './areas/ignition-area';
export {
  ADDED_KARGS_LENGTH_MAX,
  appendKargs,
  assertKargs,
  kargRefusal,
  KARGS_AREA_BYTES_MAX,
  locateKargsArea,
  readKargs,
  type KargsArea,
  type KargsPlace,
} from './areas/kargs-area';
export {
  archiveWith,
  CPIO_DIRECTORY,
  CPIO_REGULAR_FILE,
  CPIO_SYMLINK,
  createRamdisk,
  INITRAMFS_UNPACKED_BYTES_MAX,
  readCpio,
  readInitramfs,
  writeCpio,
  type CpioEntry,
  type RamdiskFile,
} from './cpio/ramdisk';
export { gzip, type Packing } from './cpio/gzip';
export { createMinimalIso, NETWORK_AREA_BYTES, NETWORK_AREA_PATH, ROOTFS_PATH, type MinimalIso } from './minimal-iso';
export { extendRamdisk, INITRD_PATH } from './extended-iso';
export {
  assertBootUrl,
  bootUrlRefusal,
  extendInitrd,
  ipxeBootScript,
  ipxeChainScript,
  liveKernelArguments,
  s390xAddressAndSize,
  type NetworkBoot,
} from './network-boot';
