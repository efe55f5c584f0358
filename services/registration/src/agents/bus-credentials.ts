import { loadOrCreateNatsTrust, mintHostCredentials } from '@muster/adapter-nats';
import { hostKeyOf, type RegistrationService } from '@muster/contracts';
import { hostNotFound } from '@muster/domain';
import { CLOCK, type InputOf, type OutputOf } from '@muster/nest-kit';
import type { Clock } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';
import { CONFIG, type RegistrationConfig } from '../config';

type Method = typeof RegistrationService.method.issueBusCredentials;

/** Credentials of hosts for the bus. They are short-lived and renewed on request, so that they end with their host. */
@Injectable()
export class BusCredentials {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<RegistrationConfig, 'bus'>,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly aggregates: Aggregates,
  ) {}

  /** @throws RefusalError when the bus is not open to hosts, the host is not registered or the key is not valid. */
  async issue({ infraEnvId, hostId, publicKey }: InputOf<Method>): Promise<OutputOf<Method>> {
    const { bus } = this.config;
    if (!bus)
      throw new RefusalError({
        code: 'not-supported',
        reason: 'The bus is not open to hosts. Set AGENT_NATS_URL and NATS_TRUST_FILE, or use HTTP.',
        subject: 'public_key',
      });
    const { state } = await this.aggregates.hosts.load(hostKeyOf(infraEnvId, hostId));
    if (state.status === 'unregistered') throw new RefusalError(hostNotFound(hostId));
    const trust = await loadOrCreateNatsTrust(bus.trustFile);
    const options = { infraEnvId, hostId, publicKey, nowMs: this.clock.nowMs(), lifetimeMs: bus.lifetimeMs };
    try {
      return mintHostCredentials(trust, options);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new RefusalError({ code: 'invalid-input', reason, subject: 'public_key' });
    }
  }
}
