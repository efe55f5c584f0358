export { openFileByteSource, type FileByteSource } from './file-byte-source';
