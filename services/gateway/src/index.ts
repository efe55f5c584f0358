export { createApiDocument } from './preview-document';
export * from './main';
