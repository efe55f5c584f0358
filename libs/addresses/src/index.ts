export * from './address-ranges';
export * from './cidr';
export * from './ip-address';
