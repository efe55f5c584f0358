import { ErrorCode, NatsError } from 'nats';
import { watchConnection } from './connection';
import { accountKey, mintServiceCredentials, type NatsTrust, operatorKey, signNatsJwt } from './credentials';
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
   * @throws Error when the server does not accept the keys, or does not answer
   */
  revoke(revoked: RevokedKeys): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the account of services and hosts at a server.
 * @throws NatsUnreachable when the first connection fails
 */
export async function openBusAccount(options: {
  readonly servers: string;
  readonly trust: NatsTrust;
  readonly caPem?: string;
  readonly nowMs: () => number;
  /** Called after each reconnection. The server keeps revoked keys in memory, so it may have lost them. */
  readonly onReconnected: () => void;
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
  let isFirst = true;
  watchConnection(connection, ({ kind }) => {
    if (kind !== 'connected') return;
    if (!isFirst) options.onReconnected();
    isFirst = false;
  });
  return {
    revoke: async (revoked) => {
      const jwt = new TextEncoder().encode(natsAccountJwt(trust, { nowMs: nowMs(), revoked }));
      const answer = await connection.request(subject, jwt, { timeout: UPDATE_TIMEOUT_MS }).catch((error: unknown) => {
        throw explainUpdateError(error);
      });
      const { error } = answer.json<{ readonly error?: { readonly description?: string } }>();
      if (error)
        throw new Error(`The NATS server refuses the update of the account: ${error.description ?? 'no reason'}`);
    },
    close: () => connection.close(),
  };
}

const explainUpdateError = (error: unknown): unknown => {
  if (!(error instanceof NatsError)) return error;
  if (error.code === ErrorCode.Timeout)
    return new Error(`The NATS server did not answer the update of the account within ${UPDATE_TIMEOUT_MS} ms.`);
  if (error.code === ErrorCode.NoResponders)
    return new Error('The system account of the NATS server is not that of the trust.');
  return error;
};
