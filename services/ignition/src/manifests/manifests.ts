import { isUtf8 } from 'node:buffer';
import { documentSecretName, eventCategory, STREAM_OWNERS } from '@muster/contracts';
import {
  clusterActionRefusal,
  clusterDecider,
  type ClusterState,
  type Manifest,
  type ManifestCommand,
  manifestDecider,
  manifestKey,
  manifestNotFound,
  type ManifestSource,
  manifestsSizeFault,
  manifestTextMissing,
  type ManifestsState,
} from '@muster/domain';
import {
  type CommandContext,
  type CommandHandler,
  createCommandHandler,
  ownedEventStore,
} from '@muster/event-sourcing';
import {
  MANIFEST_BYTES_MAX,
  type ManifestFault,
  type ManifestFile,
  manifestNameFault,
  systemManifests,
  type SystemManifestsInput,
} from '@muster/ignition-config';
import {
  CLOCK,
  DOCUMENT_TASKS,
  DocumentWorkers,
  EVENT_STORE,
  IDS,
  type MusterEventStore,
  sealDocument,
  SECRETS,
} from '@muster/nest-kit';
import type { Clock, Ids, Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { listAt, parseJson, textAt } from '@muster/schema';
import { Inject, Injectable } from '@nestjs/common';
import { ArtifactsRefused, type InstallRequest } from '../toolchain/toolchain.port';
import { foldStream } from '../view/fold-stream';

export interface OwnManifestsSettings {
  readonly hasSingleNodeNames: boolean;
  /** Cipher for cryptsetup. Empty: aes-cbc-essiv:sha256. */
  readonly diskEncryptionCipher: string;
}

const WORKERS_OF_THEIR_OWN = 2;
/** A name or an address. Hosts may report other texts, which chrony cannot read. */
const TIME_SOURCE = /^[\w.:%-]+$/;

/** Returns the manifests that the service adds to a cluster. */
export function ownManifests(
  order: Pick<InstallRequest, 'settings' | 'hosts' | 'ntpServers' | 'bootstrapHostId'>,
  settings: OwnManifestsSettings,
): readonly ManifestFile[] {
  return systemManifests(toInput(order, settings));
}

function toInput(
  { settings, hosts, ntpServers, bootstrapHostId }: Parameters<typeof ownManifests>[0],
  { hasSingleNodeNames, diskEncryptionCipher }: OwnManifestsSettings,
): SystemManifestsInput {
  const workers = hosts.filter(({ role }) => role === 'worker').length;
  const isSingleNode = settings.controlPlaneCount === 1;
  const encryption = settings.diskEncryption;
  const node = hosts.find(({ hostId }) => hostId === bootstrapHostId) ?? hosts[0];
  const isOnlyTime = Boolean(settings.ntpSources);
  const reported = hosts.flatMap(({ timeSources }) => timeSources.filter((name) => TIME_SOURCE.test(name)));
  return {
    hasArbiters: hosts.some(({ role }) => role === 'arbiter'),
    isSingleNode,
    areMastersSchedulable: settings.schedulableMasters === true || workers < WORKERS_OF_THEIR_OWN,
    timeSources: isOnlyTime ? ntpServers : [...ntpServers, ...reported],
    isOnlyTime,
    encryption: {
      roles: textAt(encryption, 'enable_on') || 'none',
      mode: textAt(encryption, 'mode') || 'tpmv2',
      tangServers: tangServersIn(textAt(encryption, 'tang_servers') || '[]'),
      cipher: diskEncryptionCipher || 'aes-cbc-essiv:sha256',
    },
    domain: `${settings.name ?? ''}.${settings.baseDnsDomain ?? ''}`,
    ownNamesAddress: hasSingleNodeNames && isSingleNode ? (node?.nodeAddress ?? '') : '',
  };
}

/** The v2 API contains them as JSON text, which was validated with the request. */
const tangServersIn = (text: string): readonly { readonly url: string; readonly thumbprint: string }[] =>
  listAt(parseJson(text)).map((server) => ({
    url: textAt(server, 'url') ?? '',
    thumbprint: textAt(server, 'thumbprint') ?? '',
  }));

const FOLDERS = ['manifests', 'openshift'] as const;
/** Maximum number of manifests of one cluster. Installers read all of them. */
const MANIFESTS_MAX = 1_000;

export interface StoredManifest {
  readonly manifest: Manifest;
  readonly stored: { readonly position: number; readonly revision: number };
}

/**
 * Stores the manifests of users and of the service, which are added to those of the installer. They may contain
 * secrets, so their text is sealed with the key of the cluster.
 */
@Injectable()
export class Manifests {
  private readonly of: CommandHandler<ManifestsState, ManifestCommand>;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    @Inject(SECRETS) private readonly secrets: Secrets,
    private readonly documents: DocumentWorkers,
    @Inject(CLOCK) clock: Clock,
    @Inject(IDS) ids: Ids,
  ) {
    const store = ownedEventStore(eventStore, 'ignition', STREAM_OWNERS);
    this.of = createCommandHandler({
      category: eventCategory('manifest'),
      decider: manifestDecider,
      store,
      clock,
      ids,
    });
  }

  /**
   * Returns the manifests sorted by folder and name.
   * @throws RefusalError `not-found` for an unknown cluster
   */
  async list(clusterId: string): Promise<readonly Manifest[]> {
    await this.cluster(clusterId);
    return this.known(clusterId);
  }

  /** Returns the manifests of users with their texts. @throws ArtifactsRefused when too large, RefusalError without a text */
  async ofUsers(clusterId: string): Promise<readonly ManifestFile[]> {
    const manifests = (await this.known(clusterId)).filter(({ source }) => source === 'user');
    const fault = manifestsSizeFault(manifests);
    if (fault) throw new ArtifactsRefused(`${fault} Then start the installation again.`);
    return Promise.all(
      manifests.map(async (manifest) => ({
        folder: folderOf(manifest.folder),
        fileName: manifest.fileName,
        content: (await this.open(clusterId, manifest)).toString(),
      })),
    );
  }

  /** @throws RefusalError `not-found` */
  async read(clusterId: string, folder: string, fileName: string): Promise<Buffer> {
    await this.cluster(clusterId);
    return this.open(clusterId, await this.find(clusterId, folder, fileName));
  }

  /**
   * Replaces an existing manifest of that folder and name.
   * @throws RefusalError for an unknown cluster, or an invalid name or text
   */
  async store(
    clusterId: string,
    given: { readonly folder: string; readonly fileName: string; readonly content: Buffer },
    context: CommandContext,
  ): Promise<StoredManifest> {
    await this.cluster(clusterId);
    const folder = folderOf(given.folder);
    const { fileName, content } = given;
    await this.check(fileName, content);
    const known = await this.known(clusterId);
    if (known.length >= MANIFESTS_MAX && !known.some((one) => manifestKey(one) === manifestKey({ folder, fileName })))
      throw refusal(`A cluster can have at most ${MANIFESTS_MAX} manifests.`, 'file_name');
    const manifest = await this.seal(clusterId, { folder, fileName, source: 'user' }, content);
    return this.execute(clusterId, { type: 'StoreManifest', clusterId, manifest }, manifest, context);
  }

  /**
   * Fields that are not given stay.
   * @throws RefusalError as `store` does, and when the status of the cluster permits no change
   */
  async revise(
    clusterId: string,
    place: { readonly folder: string; readonly fileName: string },
    changes: { readonly folder?: string; readonly fileName?: string; readonly content?: Buffer },
    context: CommandContext,
  ): Promise<StoredManifest> {
    await this.editable(clusterId);
    const from = await this.find(clusterId, place.folder, place.fileName);
    const content = changes.content ?? (await this.open(clusterId, from));
    const folder = folderOf(changes.folder ?? from.folder);
    const fileName = changes.fileName ?? from.fileName;
    await this.check(fileName, content);
    const manifest = await this.seal(clusterId, { folder, fileName, source: 'user' }, content);
    return this.execute(clusterId, { type: 'MoveManifest', clusterId, from, manifest }, manifest, context);
  }

  /** A missing manifest counts as removed. @throws RefusalError when the status of the cluster permits no change */
  async remove(
    clusterId: string,
    folder: string,
    fileName: string,
    context: CommandContext,
  ): Promise<StoredManifest['stored']> {
    await this.editable(clusterId);
    const command = { type: 'RemoveManifest', clusterId, folder: folderOf(folder), fileName } as const;
    return this.of.execute(clusterId, command, context);
  }

  /** Replaces the manifests that the service added for an earlier installation. */
  async storeOwn(clusterId: string, files: readonly ManifestFile[], context: CommandContext): Promise<void> {
    const manifests: Manifest[] = [];
    for (const { folder, fileName, content } of files)
      manifests.push(await this.seal(clusterId, { folder, fileName, source: 'system' }, Buffer.from(content)));
    await this.of.handle(clusterId, { type: 'ReplaceSystemManifests', clusterId, manifests }, context);
  }

  private async check(fileName: string, content: Buffer): Promise<void> {
    throwFault(manifestNameFault(fileName), 'file_name');
    if (content.length > MANIFEST_BYTES_MAX)
      throw refusal(`${fileName} has ${content.length} bytes. Allowed: at most ${MANIFEST_BYTES_MAX}.`, 'content');
    if (!isUtf8(content)) throw refusal(`${fileName} is not UTF-8 text. Save it in this encoding.`, 'content');
    throwFault(await this.documents.run(DOCUMENT_TASKS.checkManifest, fileName, content.toString()), 'content');
  }

  private async known(clusterId: string): Promise<readonly Manifest[]> {
    const { state } = await this.of.load(clusterId);
    return [...state.manifests.values()].sort((a, b) => (manifestKey(a) < manifestKey(b) ? -1 : 1));
  }

  private async find(clusterId: string, folder: string, fileName: string): Promise<Manifest> {
    const place = { folder: folderOf(folder), fileName };
    const found = (await this.known(clusterId)).find((manifest) => manifestKey(manifest) === manifestKey(place));
    if (!found) throw new RefusalError(manifestNotFound(place));
    return found;
  }

  /** The text is stored before the event that refers to it. */
  private async seal(
    clusterId: string,
    place: { readonly folder: string; readonly fileName: string; readonly source: ManifestSource },
    content: Buffer,
  ): Promise<Manifest> {
    const { digest, bytes } = await sealDocument(this.secrets, clusterId, content);
    return { ...place, digest, sizeBytes: bytes };
  }

  private async open(clusterId: string, manifest: Manifest): Promise<Buffer> {
    const content = await this.secrets.open(clusterId, documentSecretName(manifest.digest));
    if (!content) throw new RefusalError(manifestTextMissing(manifest));
    return content;
  }

  private async execute(
    clusterId: string,
    command: ManifestCommand,
    manifest: Manifest,
    context: CommandContext,
  ): Promise<StoredManifest> {
    return { manifest, stored: await this.of.execute(clusterId, command, context) };
  }

  private async editable(clusterId: string): Promise<void> {
    const { status } = await this.cluster(clusterId);
    const refusal = clusterActionRefusal('edit-manifests', status);
    if (refusal) throw new RefusalError(refusal);
  }

  private async cluster(clusterId: string): Promise<ClusterState> {
    const { state } = await foldStream(this.eventStore, 'cluster', clusterId, clusterDecider);
    if (state.status !== 'unregistered' && state.status !== 'deregistered') return state;
    throw new RefusalError({ code: 'not-found', reason: 'The cluster does not exist.', subject: 'cluster_id' });
  }
}

function folderOf(folder: string): ManifestFile['folder'] {
  const found = FOLDERS.find((known) => known === (folder || 'manifests'));
  if (!found)
    throw new RefusalError({
      code: 'invalid-input',
      reason: `The folder ${folder.slice(0, 64)} is not supported.`,
      subject: 'folder',
      allowed: FOLDERS,
    });
  return found;
}

function throwFault(fault: ManifestFault | undefined, subject: string): void {
  if (!fault) return;
  const { kind, reason } = fault;
  throw new RefusalError({ code: kind === 'invalid' ? 'invalid-input' : kind, reason, subject });
}

const refusal = (reason: string, subject: string): RefusalError =>
  new RefusalError({ code: 'invalid-input', reason, subject });
