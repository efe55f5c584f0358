import { loadOrCreateNatsTrust, mintHostCredentials, type NatsTrust } from '@muster/adapter-nats';
import {
  agentSubject,
  type HostKey,
  hostKeyOf,
  hostKeyOfStream,
  parseHostKey,
  parseStreamId,
  type RecordedMusterEvent,
  type RegistrationService,
} from '@muster/contracts';
import { hostNotFound } from '@muster/domain';
import { type InputOf, type OutputOf, REQUESTS } from '@muster/nest-kit';
import type { Requests } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { errorMessage } from '@muster/schema';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates';
import { CONFIG, type RegistrationConfig } from '../config';
import { RegistrationView } from '../view/registration-view';
import { BusRevocations } from './bus-revocations';

type Method = typeof RegistrationService.method.issueBusCredentials;

/** Issues bus credentials to hosts. They are short-lived and renewed on request, so that they end with their host. */
@Injectable()
export class BusCredentials {
  /** Read once: to read and check the keys takes several milliseconds, and the server keeps the keys of its start too. */
  private trust: Promise<NatsTrust> | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<RegistrationConfig, 'bus'>,
    private readonly aggregates: Aggregates,
    private readonly revocations: BusRevocations,
  ) {}

  /** @throws RefusalError when hosts may not use the bus, the host is not registered or has too many keys, or the key is not valid */
  async issue({ infraEnvId, hostId, publicKey }: InputOf<Method>): Promise<OutputOf<Method>> {
    const { bus } = this.config;
    if (!bus)
      throw new RefusalError({
        code: 'not-supported',
        reason: 'The bus does not accept connections of hosts. Set AGENT_NATS_URL and NATS_TRUST_FILE, or use HTTP.',
        subject: 'public_key',
      });
    const key = hostKeyOf(infraEnvId, hostId);
    const { state } = await this.aggregates.hosts.load(key);
    if (state.status === 'unregistered') throw new RefusalError(hostNotFound(hostId));
    const trust = await this.trustIn(bus.trustFile);
    const nowMs = this.revocations.issueTimeMs(publicKey);
    const options = { infraEnvId, hostId, publicKey, nowMs, lifetimeMs: bus.lifetimeMs };
    let credentials: OutputOf<Method>;
    try {
      credentials = mintHostCredentials(trust, options);
    } catch (error) {
      const reason = errorMessage(error);
      throw new RefusalError({ code: 'invalid-input', reason, subject: 'public_key' });
    }
    await this.revocations.issued(key, publicKey, nowMs);
    return credentials;
  }

  private trustIn(file: string): Promise<NatsTrust> {
    this.trust ??= loadOrCreateNatsTrust(file).catch((error: unknown) => {
      this.trust = undefined;
      throw error;
    });
    return this.trust;
  }
}

/** Cluster settings that are inputs of steps. */
const SETTINGS_IN_STEPS: readonly string[] = [
  'name',
  'baseDnsDomain',
  'ocpReleaseImage',
  'apiVips',
  'ingressVips',
  'additionalNtpSource',
  'ntpSources',
  'diskEncryption',
];

/** Notifies agents that their next steps may have changed. A lost wake-up delays the steps by one poll interval. */
@Injectable()
export class Nudges {
  constructor(
    @Inject(REQUESTS) private readonly requests: Requests,
    private readonly view: RegistrationView,
  ) {}

  after(event: RecordedMusterEvent): void {
    if (event.type === 'HostEnteredStatus') this.nudge(hostKeyOfStream(event.streamId), 'status');
    if (event.type !== 'ClusterSettingsRevised') return;
    const { changes } = event.data;
    if (SETTINGS_IN_STEPS.some((name) => name in (changes ?? {})))
      for (const key of this.view.cluster(parseStreamId(event.streamId).id)?.hostKeys ?? [])
        this.nudge(key, 'settings');
  }

  private nudge(key: HostKey, reason: string): void {
    const { infraEnvId, hostId } = parseHostKey(key);
    this.requests.publish(agentSubject(infraEnvId, hostId, 'nudge'), { reason });
  }
}
