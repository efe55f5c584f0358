export { connectNatsRequests, type NatsIdentity, type NatsRequests, type NatsRequestsOptions } from './requests';
export { type NatsStatus } from './connection-status';
export { MessageTooLarge, NatsPermissionDenied, NatsUnreachable } from './nats-errors';
export { createNatsTrust, type NatsTrust } from './trust';
export { loadOrCreateNatsTrust } from './trust-file';
export { natsServerConfig, type NatsServerConfigOptions, MAX_MESSAGE_BYTES } from './server-config';
export {
  createHostKey,
  mintHostCredentials,
  mintServiceCredentials,
  type HostCredentials,
  type HostKeyPair,
} from './credentials';
