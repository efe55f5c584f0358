import { connectNatsRequests, createHostKey } from '@muster/adapter-nats';
import type { ConnectNats } from './connect-nats.port';

/** A connection for one agent. It fails at once when no server answers, so that HTTP is used. */
export const connectNats: ConnectNats = ({ url, credentials, identity, inboxPrefix, name }) =>
  connectNatsRequests({ servers: url, name, credentials, identity, inboxPrefix });

/** A new user key for the bus. */
export const createBusKey = createHostKey;
