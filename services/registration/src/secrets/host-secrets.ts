import { type HostSecret, hostSecretName, type HostSettings, type Plain } from '@muster/contracts';
import type { HostState } from '@muster/domain';
import { SECRETS } from '@muster/nest-kit';
import type { Secrets } from '@muster/ports';
import { Inject, Injectable } from '@nestjs/common';

export interface HostSecrets {
  readonly ignitionEndpointToken?: string;
  /** JSON object of header to value. */
  readonly ignitionEndpointHttpHeaders?: string;
  /** JSON object as in the v2 API. */
  readonly fencingCredentials?: string;
}

interface SecretRow {
  readonly secret: HostSecret;
  readonly given: keyof HostSecrets;
  /** The flag in the settings of the host. */
  readonly flag: 'ignitionEndpointTokenSet' | 'ignitionEndpointHttpHeadersSet' | 'fencingCredentialsSet';
}

const ROWS: readonly SecretRow[] = [
  { secret: 'ignition-endpoint-token', given: 'ignitionEndpointToken', flag: 'ignitionEndpointTokenSet' },
  {
    secret: 'ignition-endpoint-http-headers',
    given: 'ignitionEndpointHttpHeaders',
    flag: 'ignitionEndpointHttpHeadersSet',
  },
  { secret: 'fencing-credentials', given: 'fencingCredentials', flag: 'fencingCredentialsSet' },
];

/** Secrets of single hosts. */
@Injectable()
export class HostSecretVault {
  constructor(@Inject(SECRETS) private readonly secrets: Secrets) {}

  /** The flags that events store for given secrets. An empty secret was removed. */
  flagsOf(given: HostSecrets): Plain<HostSettings> {
    const named = ROWS.filter((row) => given[row.given] !== undefined);
    return Object.fromEntries(named.map((row) => [row.flag, given[row.given] !== '']));
  }

  /** Durable when it resolves; an empty secret replaces the one before. */
  async seal(infraEnvId: string, hostId: string, given: HostSecrets): Promise<void> {
    for (const row of ROWS) {
      const plaintext = given[row.given];
      if (plaintext === undefined) continue;
      await this.secrets.seal(infraEnvId, hostSecretName(hostId, row.secret), Buffer.from(plaintext));
    }
  }

  /** Empty when the host has none; secrets of an earlier host with this id do not count. */
  async open({ infraEnvId, hostId, settings }: HostState, secret: HostSecret): Promise<string> {
    const row = ROWS.find((one) => one.secret === secret);
    if (!row || !settings[row.flag]) return '';
    return (await this.secrets.open(infraEnvId, hostSecretName(hostId, secret)))?.toString('utf8') ?? '';
  }
}
