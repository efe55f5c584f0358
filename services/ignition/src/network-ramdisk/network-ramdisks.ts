import { UUID_PATTERN } from '@muster/assisted-api';
import type { InfraEnvSettings, Plain } from '@muster/contracts';
import { infraEnvDecider } from '@muster/domain';
import {
  DOCUMENT_TASKS,
  DocumentWorkers,
  openProxy,
  EVENT_STORE,
  SECRETS,
  type MusterEventStore,
} from '@muster/nest-kit';
import type { Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { refuseProblems } from '../discovery/iso-type';
import { foldStream } from '../streams/fold-stream';
import { networkFiles, type PlannedNetworks } from './network-files';
import { RamdiskMemo } from './ramdisk-memo';

/** Infra-envs whose networks are kept. */
const PLANS_MAX = 64;

/** Ramdisks for minimal images and network boots, per infra-env. The bytes are the same until the settings change. */
@Injectable()
export class NetworkRamdisks {
  private readonly memo = new RamdiskMemo();
  /** By infra-env: a thousand hosts boot from one plan. */
  private readonly plans = new Map<string, { readonly revision: number; readonly planned: Promise<PlannedNetworks> }>();

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    @Inject(SECRETS) private readonly secrets: Secrets,
    private readonly documents: DocumentWorkers,
  ) {}

  /** Returns an empty archive when the infra-env needs none. @throws RefusalError `not-found` */
  async render(infraEnvId: string): Promise<Uint8Array> {
    const isId = UUID_PATTERN.test(infraEnvId);
    const found = isId && (await foldStream(this.eventStore, 'infraEnv', infraEnvId, infraEnvDecider));
    if (!found || found.state.status !== 'registered') {
      throw new RefusalError({
        code: 'not-found',
        reason: `Infra-env '${infraEnvId.slice(0, 64)}' does not exist.`,
        subject: 'infra_env_id',
      });
    }
    const { settings } = found.state;
    const proxy = await openProxy(this.secrets, infraEnvId, settings.proxy);
    const planned = await this.plan(infraEnvId, found.revision, settings);
    if (planned) refuseProblems(planned.networks);
    return this.memo.archiveOf(networkFiles({ ...settings, proxy }, planned));
  }

  private plan(infraEnvId: string, revision: number, settings: Plain<InfraEnvSettings>): Promise<PlannedNetworks> {
    if (!settings.staticNetworkConfig) return Promise.resolve(undefined);
    const known = this.plans.get(infraEnvId);
    if (known?.revision === revision) return known.planned;
    const planned = this.documents.run(DOCUMENT_TASKS.planRamdiskNetworks, settings);
    this.plans.delete(infraEnvId);
    this.plans.set(infraEnvId, { revision, planned });
    // A plan that failed is made again at the next request.
    planned.catch(() => this.plans.delete(infraEnvId));
    const [oldest] = this.plans.keys();
    if (this.plans.size > PLANS_MAX && oldest !== undefined) this.plans.delete(oldest);
    return planned;
  }
}
