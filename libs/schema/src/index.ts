export * from './parse-document';
export * from './violation';
