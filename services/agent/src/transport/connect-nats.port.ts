import type { Requests } from '@muster/ports';
import type { NatsAccess } from '../discovery/discovery-settings';

/** Connects to the bus as one host. `inboxPrefix` is the only place where this host may receive answers. */
export type ConnectNats = (
  access: NatsAccess & {
    readonly identity?: { readonly jwt: () => string; readonly seed: string };
    readonly inboxPrefix: string;
    readonly name: string;
  },
) => Promise<Requests>;
