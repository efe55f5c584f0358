import { accountKey, mintServiceCredentials, type NatsTrust, operatorKey, signNatsJwt } from './credentials';
import { watchConnection } from './connection';
import { connectTo, SERVICE_PING_INTERVAL_MS } from './requests';

const WITHOUT_LIMIT = -1;
const UPDATE_TIMEOUT_MS = 5_000;

/** User keys whose JWTs are revoked, with the time in Unix seconds up to which their issue is revoked. */
export type RevokedKeys = Readonly<Record<string, number>>;

/** Returns the JWT of the account of services and hosts. All its limits are unlimited; JetStream is disabled. */
export function natsAccountJwt(trust: NatsTrust, options: { nowMs: number; revoked?: RevokedKeys }): string {
  return signNatsJwt({
    issuer: operatorKey(trust),
    subject: accountKey(trust).getPublicKey(),
    name: 'muster',
    issuedAtMs: options.nowMs,
    claims: {
      type: 'account',
      limits: {
        subs: WITHOUT_LIMIT,
        data: WITHOUT_LIMIT,
        payload: WITHOUT_LIMIT,
        imports: WITHOUT_LIMIT,
        exports: WITHOUT_LIMIT,
        wildcards: true,
        conn: WITHOUT_LIMIT,
        leaf: 0,
      },
      default_permissions: { pub: {}, sub: {} },
      revocations: options.revoked ?? {},
    },
  });
}

export interface BusAccount {
  /**
   * Sends the revoked keys to the server, which closes their connections and refuses new ones.
   * @throws Error when the server does not accept them
   */
  revoke(revoked: RevokedKeys): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the account of services and hosts at a server. The server keeps revoked keys in memory, so they are sent again after each
 * reconnection.
 * @throws NatsUnreachable when the first connection fails
 */
export async function openBusAccount(options: {
  readonly servers: string;
  readonly trust: NatsTrust;
  readonly caPem?: string;
  readonly nowMs: () => number;
  /** Called when the keys cannot be sent again after a reconnection. */
  readonly onError: (error: unknown) => void;
}): Promise<BusAccount> {
  const { trust, nowMs } = options;
  const subject = `$SYS.REQ.ACCOUNT.${accountKey(trust).getPublicKey()}.CLAIMS.UPDATE`;
  const credentials = mintServiceCredentials(trust, { name: 'account', nowMs: nowMs() });
  const { servers, caPem } = options;
  const connection = await connectTo({
    servers,
    caPem,
    credentials,
    name: 'account',
    pingIntervalMs: SERVICE_PING_INTERVAL_MS,
  });
  let last: RevokedKeys | undefined;
  const send = async (revoked: RevokedKeys): Promise<void> => {
    const jwt = natsAccountJwt(trust, { nowMs: nowMs(), revoked });
    const answer = await connection.request(subject, new TextEncoder().encode(jwt), { timeout: UPDATE_TIMEOUT_MS });
    const { error } = answer.json<{ readonly error?: { readonly description?: string } }>();
    if (error)
      throw new Error(`The NATS server refuses the update of the account: ${error.description ?? 'no reason'}`);
  };
  watchConnection(connection, ({ kind }) => {
    if (kind === 'connected' && last) send(last).catch(options.onError);
  });
  return {
    revoke: (revoked) => {
      last = revoked;
      return send(revoked);
    },
    close: () => connection.close(),
  };
}
