export { openFileByteSource, type FileByteSource } from './file-byte-source';
export { filesystemObjectAreas, filesystemObjectStore, type FilesystemObjectStoreOptions } from './object-store';
export { filesystemSecrets, type FilesystemSecretsOptions } from './secrets';
