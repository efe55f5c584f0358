export { type BlobCache, blobCache } from './blob-cache';
export { parsePullSecret, type PullSecret } from './registry-client';
export { parseMirrorDocuments } from './image-reference';
export { parseImageReference, type ImageReference, type MirrorRule } from './image-reference';
export { ociImageRegistry, type OciImageRegistryOptions } from './oci-image-registry';
export {
  componentOf,
  extractInstaller,
  readCoreosVersion,
  readRelease,
  type InstallerKind,
  type Release,
} from './release';
