export { minioObjectStore, type MinioObjectStoreOptions } from './object-store';
export { parseMinioUrl, type MinioLocation } from './minio-url';
