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
