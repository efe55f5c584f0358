import { type MirrorRule, parseMirrorDocuments } from '@muster/adapter-oci-registry';
import { documentTask, DocumentWorkers } from '@muster/nest-kit';
import {
  clusterIdIn,
  finishBootstrap,
  type IgnitionConfig,
  type InstallConfig,
  type ManifestFile,
  toIgnitionConfig,
  toIgnitionJson,
  toInstallConfigText,
} from '@muster/ignition-config';
import { RefusalError } from '@muster/problems';
import { createJsonReader, listAt, textAt } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import { customManifestsJson } from '../../artifacts/operator-files';
import { hostConfigs, parseManifests, rolesOf, withHostStatus } from '../host-configs';
import { composedInstallConfig } from '../install-config-input';
import {
  ArtifactsRefused,
  type InstallRequest,
  type MadeArtifact,
  type PreparationReport,
  type Toolchain,
} from '../toolchain.port';
import type { InstallerOutput } from './install-folder';
import { InstallerBinaries, type OpenshiftInstallSettings } from './installer-binaries';
import { makeWithInstaller } from './make-with-installer';

const OUTPUT = 'openshift-install-output';
const readOutput = createJsonReader(Type.Record(Type.String(), Type.String()), { name: OUTPUT });
/** A run uses one core and several hundred MiB. */
const RUNS_AT_ONCE_MAX = 2;
/** How often a wait for a turn is reported. */
const REPORT_WAIT_MS = 60_000;
/** Slot of runs that do not belong to an installation. */
export const OTHER_RUNS_SLOT = RUNS_AT_ONCE_MAX;

/** Creates the artifacts with the installer of the release, and adds the files that hosts of this service need. */
export function openshiftInstallToolchain(
  settings: OpenshiftInstallSettings,
  binaries = new InstallerBinaries(settings),
  documents = DocumentWorkers.create(),
  reportWaitMs = REPORT_WAIT_MS,
): Toolchain {
  const inTurn = numberedTurns(RUNS_AT_ONCE_MAX, reportWaitMs);
  return {
    name: 'openshift-install',
    keptSecrets: [OUTPUT],
    async make(order, keep, report) {
      const kept = await keep(OUTPUT, async () => {
        // A refusal of the install-config comes before the download of the installer.
        const config = composedInstallConfig(order);
        const { ocpReleaseImage = '', openshiftVersion = '', installConfigOverrides } = order.settings;
        const wanted = {
          releaseImage: ocpReleaseImage,
          // The overrides may contain the access to the mirrors in them.
          pullSecret: textAt(config, 'pullSecret') ?? '',
          openshiftVersion,
          isFips: installConfigOverrides?.isFips ?? false,
          caPem: textAt(config, 'additionalTrustBundle') ?? '',
          mirrors: [...mirrorsInConfig(config, order), ...(await mirrorsIn(order.manifests, documents))],
        };
        const { endUse, installer, release } = await binaries.of(wanted, report.downloaded, report.signal);
        try {
          if (release) await report.releaseRead(release);
          // A download may take an hour, so a run takes its turn only when it has the installer.
          const run = (slot: number) => makeWithInstaller(order, installer, settings, documents, slot, report.signal);
          return Buffer.from(JSON.stringify(await inTurn(report, run)));
        } finally {
          endUse?.();
        }
      });
      return finish(order, readOutput(kept.toString()), settings, documents);
    },
  };
}

/**
 * Runs tasks in order, at most `count` at the same time, each with a number of its own. A task takes the first number that is free, so
 * that it waits only while all are taken. @throws the reason of the signal when it ends the wait
 */
function numberedTurns(count: number, reportWaitMs: number) {
  const free = [...Array(count).keys()];
  const waiting = new Set<(slot: number) => void>();
  const nextFree = ({ signal, queued }: Pick<PreparationReport, 'signal' | 'queued'>): Promise<number> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      let minute = 0;
      const timer = setInterval(() => {
        minute += 1;
        queued({ minute, ahead: count + [...waiting].indexOf(take) });
      }, reportWaitMs);
      const take = (slot: number): void => {
        clearInterval(timer);
        signal.removeEventListener('abort', end);
        resolve(slot);
      };
      const end = (): void => {
        clearInterval(timer);
        waiting.delete(take);
        reject(signal.reason);
      };
      signal.addEventListener('abort', end);
      waiting.add(take);
    });
  return async <Result>(
    report: Pick<PreparationReport, 'signal' | 'queued'>,
    task: (slot: number) => Promise<Result>,
  ): Promise<Result> => {
    const slot = free.shift() ?? (await nextFree(report));
    try {
      return await task(slot);
    } finally {
      const [next] = waiting;
      if (next) {
        waiting.delete(next);
        next(slot);
      } else free.push(slot);
    }
  };
}

const MIRROR_LISTS = ['imageDigestSources', 'imageContentSources'];

/** Returns the mirrors that the overrides add to those of the service, which are used anyway. */
function mirrorsInConfig(config: InstallConfig, order: InstallRequest): readonly MirrorRule[] {
  const keyOf = (source: string, mirrors: readonly unknown[]): string => JSON.stringify([source, mirrors]);
  const ofService = new Set(order.mirrors.map(({ source, mirrors }) => keyOf(source, mirrors)));
  return MIRROR_LISTS.flatMap((list) => listAt(config, list)).flatMap((entry) => {
    const source = textAt(entry, 'source') ?? '';
    const mirrors = listAt(entry, 'mirrors').filter((mirror) => typeof mirror === 'string');
    if (source === '' || ofService.has(keyOf(source, mirrors))) return [];
    return [{ source, mirrors, neverContactSource: textAt(entry, 'sourcePolicy') === 'NeverContactSource' }];
  });
}

/** Kinds of documents with mirrors, so that other manifests are not parsed. */
const HAS_MIRRORS = /ImageDigestMirrorSet|ImageTagMirrorSet|ImageContentSourcePolicy/;

const MIRRORS = documentTask('@muster/adapter-oci-registry', 'manifests', parseMirrorDocuments);

/** Returns the mirrors of all manifests. A manifest that is not YAML has none. */
async function mirrorsIn(
  manifests: readonly ManifestFile[],
  documents: DocumentWorkers,
): Promise<readonly MirrorRule[]> {
  const candidates = manifests.filter(({ content }) => HAS_MIRRORS.test(content));
  const found: MirrorRule[] = [];
  for (const file of candidates)
    found.push(...(await parseManifests(documents, MIRRORS, candidates, file.content).catch(noMirrorsUnlessRefused)));
  return found;
}

/** A refusal is about the limits of the workers, not about the text. */
function noMirrorsUnlessRefused(error: unknown): readonly MirrorRule[] {
  if (error instanceof RefusalError || error instanceof ArtifactsRefused) throw error;
  return [];
}

async function finish(
  order: InstallRequest,
  output: InstallerOutput,
  { certificatesDirectory }: OpenshiftInstallSettings,
  documents: DocumentWorkers,
) {
  const bootstrap = finishBootstrap(await withHostStatus(configIn(output, 'bootstrap.ign'), order.hosts), {
    openshiftVersion: order.settings.openshiftVersion ?? '',
    isSingleNode: order.settings.controlPlaneCount === 1,
  });
  const pointers = new Map(rolesOf(order).map((role) => [role, configIn(output, `${role}.ign`)]));
  const configs = await hostConfigs(order, pointers, documents);
  return {
    openshiftClusterId: clusterIdIn(bootstrap),
    artifacts: [
      secret('kubeconfig-noingress', output['kubeconfig-noingress'] ?? ''),
      secret('kubeadmin-password', output['kubeadmin-password'] ?? ''),
      secret('bootstrap.ign', toIgnitionJson(bootstrap)),
      secret('install-config.yaml', toInstallConfigText(composedInstallConfig(order))),
      { ...secret('metadata.json', output['metadata.json'] ?? ''), isSecret: false },
      ...(order.operatorManifests.files.length > 0
        ? [secret('custom_manifests.json', customManifestsJson(order.operatorManifests))]
        : []),
      // With configured certificates, all clusters have the same certificate authority, so pointer configs may be equal.
      ...configs.map((config) => (certificatesDirectory ? { ...config, isSecret: true } : config)),
    ],
  };
}

const secret = (name: string, text: string): MadeArtifact => ({ name, content: Buffer.from(text), isSecret: true });

function configIn(output: InstallerOutput, name: string): IgnitionConfig {
  const text = output[name];
  if (text === undefined)
    throw new ArtifactsRefused(`openshift-install did not create ${name}. The release does not support this cluster.`);
  return toIgnitionConfig(JSON.parse(text));
}
