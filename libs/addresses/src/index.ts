export {
  addressBits,
  type AddressRange,
  type Cidr,
  cidrsOverlap,
  containsIp,
  findOverlap,
  formatNetwork,
  isBroadcast,
  isCanonical,
  isSameNetwork,
  parseAddressRanges,
  parseCidr,
  parseCidrs,
  toRanges,
  verifyByFreeAddresses,
} from './cidr';
export { compareIps, type Family, formatIp, type IpAddress, isLinkLocal, isUnspecified, parseIp } from './ip-address';
