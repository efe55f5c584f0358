export * from './kept-results';
export * from './parse-document';
export * from './values';
export * from './violation';
