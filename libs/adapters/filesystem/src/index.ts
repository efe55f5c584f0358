export { copyFiles, createDirectory, moveIntoPlace, removeStaleFiles } from './durable-files';
export { openFileByteSource, type FileByteSource } from './file-byte-source';
export { filesystemObjectAreas, filesystemObjectStore, type FilesystemObjectStoreOptions } from './object-store';
export {
  filesystemSealedStorage,
  filesystemSecrets,
  type FilesystemSecretsOptions,
  sealedSecrets,
  type SealedSecretsOptions,
} from './secrets';
