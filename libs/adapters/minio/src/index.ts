export { minioObjectStore, type MinioLocation, type MinioObjectStoreOptions, parseMinioUrl } from './object-store';
