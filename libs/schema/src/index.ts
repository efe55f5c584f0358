export * from './kept-by-text';
export * from './parse-document';
export * from './values';
export * from './violation';
