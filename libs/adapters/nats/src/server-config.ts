import { randomUUID } from 'node:crypto';
import { chmod, link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { natsAccountJwt } from './account';
import { accountKey, createNatsTrust, type NatsTrust, operatorKey, signNatsJwt } from './credentials';

/**
 * Reads the keys. Creates them in a file of mode 0600 when it does not exist.
 * @throws Error when the file has other content
 */
export const loadOrCreateNatsTrust = async (file: string): Promise<NatsTrust> => {
  if ((await stat(file).catch(() => undefined)) === undefined) await createTrust(file);
  await chmod(file, 0o600);
  return parseTrust(file, await readFile(file, 'utf8'));
};

/** Other processes may create the file at the same time. It has its name when it is complete. */
const createTrust = async (file: string): Promise<void> => {
  const temporary = `${file}.${randomUUID()}`;
  await writeFile(temporary, `${JSON.stringify(createNatsTrust())}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    await link(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(temporary);
  }
};

const parseTrust = (file: string, text: string): NatsTrust => {
  try {
    const { operatorSeed, accountSeed } = JSON.parse(text) as Partial<NatsTrust>;
    const trust = { operatorSeed: operatorSeed ?? '', accountSeed: accountSeed ?? '' };
    const isTrust =
      operatorKey(trust).getPublicKey().startsWith('O') && accountKey(trust).getPublicKey().startsWith('A');
    if (isTrust) return trust;
  } catch {
    // The error below does not repeat the content, because a part of a key is also secret.
  }
  throw new Error(
    `${file} does not contain the NATS keys of this installation. Restore it, or remove it to create new keys.`,
  );
};

/** Maximum size of a message in bytes. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

export interface NatsServerConfigOptions {
  /** @default loopback only */
  readonly host?: string;
  /** -1 lets the server choose. @default 4222 */
  readonly port?: number;
  /** @default MAX_MESSAGE_BYTES */
  readonly maxMessageBytes?: number;
  /** When set, clients must use TLS. @default plain connections */
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  /** Milliseconds since the Unix epoch. Written to the tokens. */
  readonly nowMs: number;
}

/**
 * Returns the configuration of a nats-server that accepts only credentials signed with the same keys. It contains
 * public keys only.
 */
export const natsServerConfig = (trust: NatsTrust, options: NatsServerConfigOptions): string => {
  const operator = operatorKey(trust);
  const account = accountKey(trust).getPublicKey();
  const issuedAtMs = options.nowMs;
  const operatorJwt = signNatsJwt({
    issuer: operator,
    subject: operator.getPublicKey(),
    name: 'muster',
    issuedAtMs,
    claims: { type: 'operator' },
  });
  return [
    `host: ${JSON.stringify(options.host ?? '127.0.0.1')}`,
    `port: ${options.port ?? 4222}`,
    `max_payload: ${options.maxMessageBytes ?? MAX_MESSAGE_BYTES}`,
    `operator: ${operatorJwt}`,
    ...(options.tls
      ? [
          `tls: { cert_file: ${JSON.stringify(options.tls.certFile)}, key_file: ${JSON.stringify(options.tls.keyFile)} }`,
        ]
      : []),
    'resolver: MEMORY',
    `resolver_preload: { ${account}: ${natsAccountJwt(trust, { nowMs: issuedAtMs })} }`,
    // Services may then revoke credentials of hosts. Hosts have no permission for its subjects.
    `system_account: ${account}`,
    '',
  ].join('\n');
};
