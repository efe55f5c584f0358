import { createHash } from 'node:crypto';
import { UUID_PATTERN } from '@muster/assisted-api';
import type { RamdiskFile } from '@muster/boot-image';
import type { InfraEnvSettings, Plain } from '@muster/contracts';
import { infraEnvDecider } from '@muster/domain';
import { networkRamdiskFiles, type planRamdiskNetworks, proxyEnvironmentLines } from '@muster/ignition-config';
import {
  DOCUMENT_TASKS,
  DocumentWorkers,
  EVENT_STORE,
  type MusterEventStore,
  openNetworks,
  openProxy,
  SECRETS,
} from '@muster/nest-kit';
import type { Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { foldStream } from '../view/fold-stream';
import { refuseProblems } from './discovery-documents';

const PROXY_DROP_IN_PATH = '/etc/systemd/system/coreos-livepxe-rootfs.service.d/10-proxy.conf';
const PROXY_DROP_IN_MODE = 0o664;

export type PlannedNetworks = ReturnType<typeof planRamdiskNetworks>;

/** Returns the files that a ramdisk needs to download the root file system: static networks, and the proxy. */
export function networkFiles(settings: Plain<InfraEnvSettings>, planned: PlannedNetworks): readonly RamdiskFile[] {
  return [...staticNetworkFiles(settings, planned), ...proxyFiles(settings)];
}

function staticNetworkFiles(
  { networkDiscoveryDelaySeconds: delaySeconds = 0 }: Plain<InfraEnvSettings>,
  planned: PlannedNetworks,
): readonly RamdiskFile[] {
  return planned ? networkRamdiskFiles({ form: planned.form, hosts: planned.networks.hosts, delaySeconds }) : [];
}

function proxyFiles({ proxy }: Plain<InfraEnvSettings>): readonly RamdiskFile[] {
  const lines = proxyEnvironmentLines({
    httpProxy: proxy?.httpProxy ?? '',
    httpsProxy: proxy?.httpsProxy ?? '',
    noProxy: proxy?.noProxy ?? '',
  });
  if (lines.length === 0) return [];
  return [{ path: PROXY_DROP_IN_PATH, mode: PROXY_DROP_IN_MODE, content: `[Service]\n${lines.join('\n')}\n` }];
}

/** Maximum number of cached archives. Each has less than 1 MiB, because it must fit into a minimal image. */
export const REMEMBERED_RAMDISKS_MAX = 64;

/** `characters`: the length of all files as text. */
type Pack = (files: readonly RamdiskFile[], characters: number) => Promise<Uint8Array>;

/** Caches archives of files, so that the hosts of one infra-env boot from the same bytes. */
export class RamdiskMemo {
  /** By digest of the files, which may contain proxy credentials. The least recently used archive is first. */
  private readonly archives = new Map<string, Promise<Uint8Array>>();

  constructor(private readonly pack: Pack) {}

  /** Returns an empty archive when there are no files. Callers must not modify it. */
  archiveOf(files: readonly RamdiskFile[]): Promise<Uint8Array> {
    if (files.length === 0) return Promise.resolve(new Uint8Array());
    const text = JSON.stringify(files);
    const key = createHash('sha256').update(text).digest('base64');
    const archive = this.archives.get(key) ?? this.pack(files, text.length);
    this.archives.delete(key);
    this.archives.set(key, archive);
    // A failed archive is created again at the next request.
    archive.catch(() => this.archives.delete(key));
    if (this.archives.size > REMEMBERED_RAMDISKS_MAX) this.forgetOldest();
    return archive;
  }

  private forgetOldest(): void {
    const [oldest] = this.archives.keys();
    if (oldest !== undefined) this.archives.delete(oldest);
  }
}

/** Maximum number of infra-envs whose networks are cached. */
const PLANS_MAX = 64;

/** Ramdisks for minimal images and network boots, per infra-env. The bytes are the same until the settings change. */
@Injectable()
export class NetworkRamdisks {
  /** The archive of a thousand hosts takes several hundred milliseconds, so it is not created in the main thread. */
  private readonly memo = new RamdiskMemo((files, characters) =>
    this.documents.runAlone(DOCUMENT_TASKS.createRamdisk, characters, files),
  );
  /** By infra-env, because many hosts boot from the same plan. */
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
    if (!settings.staticNetworkConfig?.digest) return Promise.resolve(undefined);
    const known = this.plans.get(infraEnvId);
    if (known?.revision === revision) return known.planned;
    const planned = openNetworks(this.secrets, infraEnvId, settings).then(
      (given) => given && this.documents.run(DOCUMENT_TASKS.planRamdiskNetworks, given),
    );
    this.plans.delete(infraEnvId);
    this.plans.set(infraEnvId, { revision, planned });
    // A failed plan is computed again at the next request.
    planned.catch(() => this.plans.delete(infraEnvId));
    const [oldest] = this.plans.keys();
    if (this.plans.size > PLANS_MAX && oldest !== undefined) this.plans.delete(oldest);
    return planned;
  }
}
