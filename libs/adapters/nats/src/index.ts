export { type BusAccount, openBusAccount, type RevokedKeys } from './account';
export { type BusTlsFiles, makeBusCertificate } from './bus-certificate';
export {
  addressesIn,
  connectNatsRequests,
  type NatsIdentity,
  type NatsRequests,
  type NatsRequestsOptions,
  SERVICE_PING_INTERVAL_MS,
} from './requests';
export { NatsPermissionDenied, type NatsStatus, NatsUnreachable } from './connection';
export {
  loadOrCreateNatsTrust,
  MAX_MESSAGE_BYTES,
  natsServerConfig,
  type NatsServerConfigOptions,
} from './server-config';
export {
  createHostKey,
  createNatsTrust,
  type HostCredentials,
  type HostKeyPair,
  isNatsCredentials,
  mintHostCredentials,
  mintServiceCredentials,
  type NatsTrust,
} from './credentials';
