export { createApiDocument } from './main';
export * from './main';
export { readGatewayConfig } from './config';
