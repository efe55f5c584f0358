export { BootImageError, type BootImageErrorCode, type BootImageProblem } from './boot-image.error';
export { bufferByteSource, type ByteSource } from './byte-source';
export { overlaySource, type Overlay } from './overlay-source';
export { RANGE_CHUNK_BYTES, readRange, readWhole } from './read-range';
export {
  customiseBootIso,
  isCoreOsVolumeId,
  readBootIsoLayout,
  type BootIsoCustomisation,
  type BootIsoLayout,
} from './boot-iso';
export { openIso, type IsoImage } from './iso/iso-image';
export { fileSource, type Extent, type IsoEntry } from './iso/iso-entry';
export { IGNITION_AREA_BYTES_MAX, locateIgnitionArea, type IgnitionArea } from './ignition-area/ignition-area';
export {
  createIgnitionArchive,
  fillIgnitionArea,
  ignitionConfigOf,
  readIgnitionConfig,
  type SystemConfig,
} from './ignition-area/ignition-archive';
export { KARGS_AREA_BYTES_MAX, locateKargsArea, type KargsArea, type KargsPlace } from './kargs-area/kargs-area';
export { appendKargs, readKargs } from './kargs-area/kargs-overlays';
export { assertKargs, kargRefusal } from './kargs-area/kargs-text';
export { CPIO_DIRECTORY, CPIO_REGULAR_FILE, CPIO_SYMLINK, readCpio, writeCpio, type CpioEntry } from './cpio/newc';
export { INITRAMFS_UNPACKED_BYTES_MAX, readInitramfs } from './cpio/initramfs';
export { gzip, type Packing } from './cpio/gzip';
export { concatSources, sliceSource, zeroSource } from './segmented-source';
export { parseCatalogue, readBootCatalogue, type BootCatalogue, type BootEntry } from './iso/el-torito';
export {
  createMinimalIso,
  NETWORK_AREA_BYTES,
  NETWORK_AREA_PATH,
  ROOTFS_PATH,
  type MinimalIso,
} from './minimal-iso/create-minimal-iso';
export { createRamdisk, type RamdiskFile } from './ramdisk/create-ramdisk';
export { assertBootUrl, bootUrlRefusal } from './boot-url';
export { extendInitrd, s390xAddressAndSize } from './network-boot/pxe';
export { ipxeBootScript, ipxeChainScript, liveKernelArguments, type NetworkBoot } from './network-boot/ipxe-script';
export { blockCachedSource, REMOTE_CACHE, type BlockCacheLimits } from './block-cached-source';
