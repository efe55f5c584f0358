export {
  minioObjectAreas,
  minioObjectStore,
  type MinioLocation,
  type MinioObjectStoreOptions,
  parseMinioUrl,
} from './object-store';
