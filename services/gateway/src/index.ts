export { createApiDocument } from './api-document/preview-document';
export * from './main';
