export * from './cidr';
export * from './ip-address';
