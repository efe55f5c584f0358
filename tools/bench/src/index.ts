export * from './command-line';
export * from './measurement';
export * from './report';
