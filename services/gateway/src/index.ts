export { createApiDocument } from './preview-document';
export * from './main';
export { readGatewayConfig } from './config';
