export { minioObjectAreas, minioObjectStore, type MinioObjectStoreOptions, parseMinioUrl } from './object-store';
