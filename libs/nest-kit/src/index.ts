export * from './http-endpoint';
export * from './call-service';
export * from './component-images';
export {
  type DocumentReference,
  NO_DOCUMENT,
  openDocument,
  openNetworks,
  readHttpHeaders,
  referenceOf,
  sealDocument,
} from './documents/sealed-documents';
export { DOCUMENT_TASKS, documentTask, DocumentWorkers } from './documents/document-workers';
export { sha256Digest } from './documents/read-step-report';
export * from './documents/report-reader';
export * from './requests-server';
export * from './settings/addresses';
export * from './settings/derived-settings';
export * from './metrics';
export * from './platform';
export * from './reactor-host';
export * from './release-toolchains';
export * from './request-log-entry';
export * from './service';
export * from './settings/setting';
export * from './settings/settings-reader';
export * from './settings/settings.table';
export * from './infra-env-tokens';
