export { parsePullSecret, type PullSecret } from './credentials';
export { parseMirrorDocuments } from './mirror-documents';
export { parseImageReference, type ImageReference, type MirrorRule } from './image-reference';
export { ociImageRegistry, type OciImageRegistryOptions } from './oci-image-registry';
export {
  componentOf,
  extractInstaller,
  readCoreosStream,
  readRelease,
  type InstallerKind,
  type Release,
} from './release';
