import { type BusAccount, loadOrCreateNatsTrust, openBusAccount, type RevokedKeys } from '@muster/adapter-nats';
import { type HostKey, parseHostKey } from '@muster/contracts';
import { BoundedMap, WorkQueue } from '@muster/event-sourcing';
import { CLOCK, SECRETS } from '@muster/nest-kit';
import { type Clock, isoTime, KeyedQueue, type Secrets } from '@muster/ports';
import { type Refusal, RefusalError } from '@muster/problems';
import { createJsonReader, errorMessage } from '@muster/schema';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { CONFIG, type RegistrationConfig } from '../config';
import { RegistrationView } from '../view/registration-view';

const readRevokedKeys = createJsonReader(Type.Record(Type.String(), Type.Number()), { name: 'the revoked bus keys' });
/** When credentials for each key were issued, in milliseconds. An earlier release stored a list of keys. */
type IssuedKeys = Readonly<Record<string, number>>;
const ISSUED_KEYS = Type.Union([Type.Record(Type.String(), Type.Number()), Type.Array(Type.String())]);
const readKeys = createJsonReader(ISSUED_KEYS, { name: 'the bus keys of a host' });

/** Scope and name of the revoked keys that have not expired. */
const SERVICE_SCOPE = 'service-registration';
const REVOKED = 'revoked-bus-keys';
/** In the scope of an infra-env: the keys of a host. A host has more than one while credentials of an earlier start are valid. */
const keysName = (hostId: string): string => `bus-keys.${hostId}`;
const KEYS_PER_HOST_MAX = 16;
/**
 * The time of issue of a key is stored again after this number of lifetimes. The renewals of a fleet would otherwise be its most frequent
 * writes.
 */
const STORED_AGAIN_AFTER_LIFETIMES = 3;
const KEPT_HOSTS_MAX = 10_000;
const MS_PER_SECOND = 1_000;

/**
 * Ends bus credentials before they expire: with the host, and with the signing key of the infra-env. The keys of hosts and the
 * revoked keys are stored, so that they are available after a restart.
 */
@Injectable()
export class BusRevocations implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('registration');
  /** Keys of hosts, as stored. */
  private readonly keys = new BoundedMap<HostKey, IssuedKeys>(KEPT_HOSTS_MAX);
  /** Changes of the keys of each host, one after the other. */
  private readonly issuing = new KeyedQueue();
  /** Hosts whose removal was replayed by the start. */
  private readonly removed: HostKey[] = [];
  private revoked: RevokedKeys = {};
  private account: Promise<BusAccount> | undefined;
  private isClosing = false;
  /** Changes of the revoked keys, one after the other. */
  private changes = Promise.resolve();
  /** Sends the revoked keys, again and again until the bus accepts them. */
  private readonly sending = new WorkQueue(
    () => this.send(),
    (error) => this.warn(error),
  );

  constructor(
    @Inject(CONFIG) private readonly config: Pick<RegistrationConfig, 'bus'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SECRETS) private readonly secrets: Secrets,
    private readonly view: RegistrationView,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (!this.config.bus) return;
    const stored = await this.secrets.open(SERVICE_SCOPE, REVOKED);
    if (!stored) return;
    this.revoked = this.unexpired(readRevokedKeys(stored.toString()));
    if (Object.keys(this.revoked).length > 0) await this.trySending();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    // Ends a request that waits for an answer.
    await this.closeAccount();
    await this.sending.close();
  }

  /**
   * Stores a key for which credentials are issued. Durable when it resolves.
   * @throws RefusalError while the host has credentials of too many other keys: a key that is not stored could not be revoked
   */
  async issued(key: HostKey, publicKey: string, issuedAtMs: number): Promise<void> {
    await this.issuing.run(key, async () => {
      const known = await this.keysOf(key);
      const before = known[publicKey];
      if (before !== undefined && issuedAtMs - before < STORED_AGAIN_AFTER_LIFETIMES * this.lifetimeMs()) return;
      const keptMs = (STORED_AGAIN_AFTER_LIFETIMES + 1) * this.lifetimeMs();
      const others = Object.entries(known).filter(([name, at]) => name !== publicKey && at + keptMs > issuedAtMs);
      if (before === undefined && others.length >= KEYS_PER_HOST_MAX)
        throw new RefusalError(tooManyKeys(keptMs, others));
      const keys = { ...Object.fromEntries(others), [publicKey]: issuedAtMs };
      this.keys.set(key, keys);
      const { infraEnvId, hostId } = parseHostKey(key);
      try {
        await this.secrets.seal(infraEnvId, keysName(hostId), Buffer.from(JSON.stringify(keys)));
      } catch (error) {
        // A repetition stores them again.
        this.keys.delete(key);
        throw error;
      }
    });
  }

  /** The time of issue of new credentials, in milliseconds: later than the revocation of earlier ones for the same key. */
  issueTimeMs(publicKey: string): number {
    return Math.max(this.clock.nowMs(), ((this.revoked[publicKey] ?? -1) + 1) * MS_PER_SECOND);
  }

  /** Ends the credentials of a host. */
  async endHost(key: HostKey): Promise<void> {
    await this.end([key]);
  }

  /**
   * Keeps the key of a host that was removed before this start, if its credentials may still be valid. The process may have been killed before it
   * ended them.
   */
  removedEarlier(key: HostKey, removedAtMs: number): void {
    if (removedAtMs + this.lifetimeMs() > this.clock.nowMs()) this.removed.push(key);
  }

  /** Ends the credentials of the hosts that were removed before this start. */
  async endRemoved(): Promise<void> {
    await this.end(this.removed.splice(0));
  }

  /** Ends the credentials of all hosts of the infra-env. */
  async endInfraEnv(infraEnvId: string): Promise<void> {
    await this.end(this.view.hostsOfInfraEnv(infraEnvId));
  }

  private end(hosts: Iterable<HostKey>): Promise<void> {
    return this.inOrder(async () => {
      if (!this.config.bus) return;
      const keys = (await Promise.all([...hosts].map((host) => this.keysOf(host)))).flatMap((kept) =>
        Object.keys(kept),
      );
      if (keys.length === 0) return;
      const at = Math.floor(this.clock.nowMs() / MS_PER_SECOND);
      this.revoked = this.unexpired({ ...this.revoked, ...Object.fromEntries(keys.map((key) => [key, at])) });
      await this.secrets.seal(SERVICE_SCOPE, REVOKED, Buffer.from(JSON.stringify(this.revoked)));
      await this.trySending();
    });
  }

  /** Resolves after the first attempt. The request of an administrator does not wait longer for a bus that does not answer. */
  private trySending(): Promise<void> {
    this.sending.add(REVOKED);
    return this.sending.worked();
  }

  private async keysOf(key: HostKey): Promise<IssuedKeys> {
    const kept = this.keys.get(key);
    if (kept) return kept;
    const { infraEnvId, hostId } = parseHostKey(key);
    const stored = await this.secrets.open(infraEnvId, keysName(hostId));
    // Another request may have stored the keys in the meantime.
    const keys = this.keys.get(key) ?? (stored ? this.withTimes(readKeys(stored.toString())) : {});
    this.keys.set(key, keys);
    return keys;
  }

  private withTimes(keys: IssuedKeys | readonly string[]): IssuedKeys {
    if (!isKeyList(keys)) return keys;
    const nowMs = this.clock.nowMs();
    return Object.fromEntries(keys.map((key) => [key, nowMs]));
  }

  private lifetimeMs(): number {
    return this.config.bus?.lifetimeMs ?? 0;
  }

  /** Credentials that were issued before the revocation have expired after their lifetime. */
  private unexpired(revoked: RevokedKeys): RevokedKeys {
    const fromSeconds = (this.clock.nowMs() - this.lifetimeMs()) / MS_PER_SECOND;
    return Object.fromEntries(Object.entries(revoked).filter(([, at]) => at >= fromSeconds));
  }

  /** The next attempt uses a new connection: the client may have ended this one for good. */
  private async send(): Promise<void> {
    this.account ??= this.open();
    try {
      await (await this.account).revoke(this.revoked);
    } catch (error) {
      await this.closeAccount();
      throw error;
    }
  }

  private async closeAccount(): Promise<void> {
    const { account } = this;
    this.account = undefined;
    await (await account?.catch(() => undefined))?.close();
  }

  private async open(): Promise<BusAccount> {
    const { bus } = this.config;
    if (!bus) throw new Error('Hosts may not use the bus.');
    const trust = await loadOrCreateNatsTrust(bus.trustFile);
    const { url: servers, caPem } = bus;
    return openBusAccount({
      servers,
      caPem,
      trust,
      nowMs: () => this.clock.nowMs(),
      onReconnected: () => this.sending.add(REVOKED),
    });
  }

  /** Until the bus accepts the keys, it closes the connections when the credentials expire. */
  private warn(error: Error): void {
    if (this.isClosing) return;
    this.logger.warn(
      `The bus of NATS_TRUST_FILE does not revoke credentials of hosts: ${errorMessage(error)} Muster tries again; until then, the credentials end when they expire.`,
    );
  }

  private inOrder(change: () => Promise<void>): Promise<void> {
    const done = this.changes.then(change);
    this.changes = done.catch(() => undefined);
    return done;
  }
}

const isKeyList = (keys: IssuedKeys | readonly string[]): keys is readonly string[] => Array.isArray(keys);

function tooManyKeys(keptMs: number, others: readonly (readonly [string, number])[]): Refusal {
  const freeAt = isoTime(Math.min(...others.map(([, at]) => at)) + keptMs);
  const reason = `The host received bus credentials for ${others.length} other keys. Use an earlier key, or HTTP until ${freeAt}.`;
  return { code: 'too-many-requests', reason, subject: 'public_key' };
}
