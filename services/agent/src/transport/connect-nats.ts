import { connectNatsRequests } from '@muster/adapter-nats';
import type { ConnectNats } from './open-transport';

/** A connection of its own for one agent; fails at once when no server answers, so that HTTP can take over. */
export const connectNats: ConnectNats = ({ url, credentials, inboxPrefix, name }) =>
  connectNatsRequests({ servers: url, name, credentials, inboxPrefix });
