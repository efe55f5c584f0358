import { UUID_PATTERN } from '@muster/assisted-api';
import { infraEnvDecider } from '@muster/domain';
import { openProxy, EVENT_STORE, SECRETS, type MusterEventStore } from '@muster/nest-kit';
import type { Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { foldStream } from '../streams/fold-stream';
import { networkFiles } from './network-files';
import { RamdiskMemo } from './ramdisk-memo';

/** The ramdisk of each infra-env's minimal images and network boots; the same bytes until its settings change. */
@Injectable()
export class NetworkRamdisks {
  private readonly memo = new RamdiskMemo();

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    @Inject(SECRETS) private readonly secrets: Secrets,
  ) {}

  /** Empty when the infra-env needs none. Throws RefusalError `not-found`. */
  async render(infraEnvId: string): Promise<Uint8Array> {
    const isId = UUID_PATTERN.test(infraEnvId);
    const found = isId && (await foldStream(this.eventStore, 'infraEnv', infraEnvId, infraEnvDecider));
    if (!found || found.state.status !== 'registered') {
      throw new RefusalError({
        code: 'not-found',
        reason: `There is no infra-env ${infraEnvId.slice(0, 64)}.`,
        subject: 'infra_env_id',
      });
    }
    const { settings } = found.state;
    const proxy = await openProxy(this.secrets, infraEnvId, settings.proxy);
    return this.memo.archiveOf(networkFiles({ ...settings, proxy }));
  }
}
