import { createHash } from 'node:crypto';
import { UUID_PATTERN } from '@muster/assisted-api';
import { IGNITION_ARCHIVE_BYTES_MAX } from '@muster/boot-image';
import { type InfraEnvSettings, type Plain, PULL_SECRET, type RecordedMusterEvent } from '@muster/contracts';
import { infraEnvDecider, type InfraEnvState } from '@muster/domain';
import { BoundedMap } from '@muster/event-sourcing';
import {
  describeNetworkProblem,
  type HostNetworks,
  type IgnitionConfig,
  mergeOverride,
  parseIgnitionOverride,
  renderDiscoveryIgnition,
  type StaticNetwork,
  toIgnitionJson,
} from '@muster/ignition-config';
import {
  CLOCK,
  DOCUMENT_TASKS,
  DocumentWorkers,
  EVENT_STORE,
  maskedProxy,
  type MusterEventStore,
  openDocument,
  openNetworks,
  openProxy,
  openTrustBundle,
  SECRETS,
} from '@muster/nest-kit';
import { type Clock, isoTime, KeyedQueue, type Secrets } from '@muster/ports';
import { type Refusal, RefusalError } from '@muster/problems';
import { createJsonReader } from '@muster/schema';
import { Inject, Injectable } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { CONFIG, type IgnitionServiceConfig } from '../config';
import { foldStream } from '../view/fold-stream';
import type { InfraEnvTokens } from './infra-env-tokens';
import { UnconfiguredIgnition } from './unconfigured-ignition';

const ISO_TYPES = ['full-iso', 'minimal-iso', 'disconnected-iso'] as const;
export type IsoType = (typeof ISO_TYPES)[number];

/** Returns the requested type, else the type of the infra-env, else full-iso. @throws RefusalError for an unknown type. */
export function isoTypeOf(asked: string, settings: Plain<InfraEnvSettings>): IsoType {
  const wanted = asked || settings.imageType || 'full-iso';
  const type = ISO_TYPES.find((known) => known === wanted);
  if (type) return type;
  throw new RefusalError({
    code: 'invalid-input',
    reason: `discovery_iso_type '${wanted.slice(0, 64)}' is not supported.`,
    subject: 'discovery_iso_type',
    allowed: ISO_TYPES,
  });
}

/**
 * An image without the configured network is refused, because its hosts would boot unreachable.
 * @throws RefusalError `invalid-input`
 */
export function refuseProblems({ problems: [problem] }: Pick<HostNetworks, 'problems'>): void {
  if (!problem) return;
  throw new RefusalError({
    code: 'invalid-input',
    reason: describeNetworkProblem(problem),
    subject: 'static_network_config',
  });
}

/**
 * Returns the static networks of the live system. Those of a minimal image are in its ramdisk.
 * @throws RefusalError `invalid-input` when they cannot be used.
 */
export async function staticNetworkOf(
  isoType: string,
  { infraEnvId, settings }: Pick<InfraEnvState, 'infraEnvId' | 'settings'>,
  secrets: Secrets,
  documents: DocumentWorkers,
): Promise<StaticNetwork | undefined> {
  if (isoType !== 'full-iso') return undefined;
  const given = await openNetworks(secrets, infraEnvId, settings);
  const planned = given && (await documents.run(DOCUMENT_TASKS.planStaticNetworks, given));
  if (!planned) return undefined;
  refuseProblems(planned.networks);
  return {
    form: planned.form,
    hosts: planned.networks.hosts,
    delaySeconds: settings.networkDiscoveryDelaySeconds ?? 0,
  };
}

export interface DiscoveryDocument {
  /** JSON as UTF-8. */
  readonly ignition: Buffer;
  /** ISO 8601. */
  readonly generatedAt: string;
}

export type RegisteredInfraEnv = Extract<RecordedMusterEvent, { readonly type: 'InfraEnvRegistered' }>;

interface LoadedInfraEnv {
  readonly state: InfraEnvState;
  readonly revision: number;
}

interface CachedDocument extends DiscoveryDocument {
  readonly revision: number;
  readonly renewAtMs: number;
}

export const TOKENS = Symbol('InfraEnvTokens');
export const SERVICE_CA = Symbol('PEM of the service CA');

/** Maximum number of cached documents of about 20 KiB each, so that the range requests of a download do not render. */
const CACHED_DOCUMENTS_MAX = 1_000;
const MS_PER_SECOND = 1_000;
const stampName = (isoType: string): string => `discovery-stamp/${isoType}`;

/** Renders the Ignition documents of discovery images from the present state and secrets. */
@Injectable()
export class DiscoveryDocuments {
  private readonly cache = new BoundedMap<string, CachedDocument>(CACHED_DOCUMENTS_MAX);
  private readonly queue = new KeyedQueue();

  constructor(
    private readonly documents: DocumentWorkers,
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: IgnitionServiceConfig,
    @Inject(TOKENS) private readonly tokens: InfraEnvTokens,
    @Inject(SERVICE_CA) private readonly serviceCaPem: string,
    private readonly unconfigured: UnconfiguredIgnition,
  ) {}

  /** @throws RefusalError for an unknown infra-env, an invalid override, or missing artifacts */
  async render(infraEnvId: string, isoType: string, { withoutSecrets = false } = {}): Promise<DiscoveryDocument> {
    return this.rendered(await this.load(infraEnvId), isoType, withoutSecrets);
  }

  /**
   * Renders the document of a new infra-env from the event of its registration, so that its stream is not read.
   * @throws RefusalError as `render`, and when the infra-env was deregistered meanwhile
   */
  async prepare(event: RegisteredInfraEnv): Promise<void> {
    const state = infraEnvDecider.evolve(infraEnvDecider.initialState(), event);
    await this.rendered({ state, revision: event.revision }, '', false);
  }

  private async rendered(
    { state, revision }: LoadedInfraEnv,
    isoType: string,
    withoutSecrets: boolean,
  ): Promise<DiscoveryDocument> {
    const { infraEnvId } = state;
    const type = isoTypeOf(isoType, state.settings);
    const key = `${infraEnvId}/${type}/${withoutSecrets}`;
    // Rendered one at a time, because concurrent creations of a secret would give two different documents.
    return this.queue.run(infraEnvId, async () => {
      const known = this.cache.get(key);
      if (known && known.revision >= revision && this.clock.nowMs() < known.renewAtMs) return known;
      const document = { ...(await this.make(state, type, withoutSecrets)), revision };
      this.cache.set(key, document);
      return document;
    });
  }

  private async load(infraEnvId: string): Promise<LoadedInfraEnv> {
    const isId = UUID_PATTERN.test(infraEnvId);
    const found = isId && (await foldStream(this.eventStore, 'infraEnv', infraEnvId, infraEnvDecider));
    if (found && found.state.status === 'registered') return found;
    throw new RefusalError({
      code: 'not-found',
      reason: `Infra-env '${infraEnvId.slice(0, 64)}' does not exist.`,
      subject: 'infra_env_id',
    });
  }

  private async make(
    state: InfraEnvState,
    isoType: string,
    withoutSecrets: boolean,
  ): Promise<DiscoveryDocument & { readonly renewAtMs: number }> {
    const { infraEnvId, settings } = state;
    if (isoType === 'disconnected-iso') {
      if (withoutSecrets) throw new RefusalError(ONLY_WITH_SECRETS);
      const unconfigured = await this.unconfigured.render(state, await this.pullSecretOf(state));
      const ignition = Buffer.from(toIgnitionJson(await this.withOverride(state, unconfigured)));
      return { ignition, generatedAt: await this.stamp(infraEnvId, isoType, ignition), renewAtMs: Infinity };
    }
    // Nothing is sealed for an infra-env whose secrets were destroyed.
    const pullSecret = withoutSecrets ? '' : await this.pullSecretOf(state);
    const { registries, okdPackagesImage } = this.config;
    const staticNetwork = await staticNetworkOf(isoType, state, this.secrets, this.documents);
    // Hosts request their bus credentials after their registration.
    const { agentNatsUrl: url, agentNatsCaPem: caPem } = this.config;
    const nats = url ? { url, ...(caPem && { caPem }) } : undefined;
    const rendered = renderDiscoveryIgnition({
      infraEnvId,
      service: {
        url: this.config.serviceBaseUrl,
        skipsCertificateVerification: this.config.skipsCertificateVerification,
        caPem: this.serviceCaPem,
        token: withoutSecrets ? '' : await this.tokens(infraEnvId),
      },
      agent: {
        image: this.config.agentImage,
        executable: this.config.agentExecutable,
        startTimeoutSeconds: Math.round(this.config.agentStartTimeoutMs / MS_PER_SECOND),
      },
      ...(nats && { nats }),
      ...(staticNetwork && { staticNetwork }),
      ...(registries.settings && { registries: registries.settings }),
      ...(okdPackagesImage && { okd: { packagesImage: okdPackagesImage } }),
      pullSecret,
      sshAuthorizedKeys: settings.sshAuthorizedKey ?? '',
      proxy: withoutSecrets ? maskedProxy(settings.proxy) : await openProxy(this.secrets, infraEnvId, settings.proxy),
      ntp: { sources: settings.ntpSources ?? '', additionalSources: settings.additionalNtpSources ?? '' },
      additionalTrustBundle: await openTrustBundle(this.secrets, infraEnvId, settings),
      redHatCaPem: this.config.redHatCaPem,
    });
    const ignition = Buffer.from(toIgnitionJson(await this.withOverride(state, rendered)));
    await refuseOversize(ignition, this.documents);
    const generatedAt = await this.stamp(infraEnvId, withoutSecrets ? `${isoType}/without-secrets` : isoType, ignition);
    return { ignition, generatedAt, renewAtMs: this.tokenRenewalMs() };
  }

  /** Merges the override of the infra-env. @throws RefusalError when the override is missing or not valid */
  private async withOverride(
    { infraEnvId, settings: { ignitionConfigOverride, openshiftVersion } }: InfraEnvState,
    config: IgnitionConfig,
  ): Promise<IgnitionConfig> {
    const field = 'ignition_config_override';
    const override = await openDocument(this.secrets, infraEnvId, ignitionConfigOverride, field);
    if (!override) return config;
    const parsed = parseIgnitionOverride(override, field);
    const merged = parsed.kind === 'parsed' ? mergeOverride(config, parsed.config, field, openshiftVersion) : parsed;
    if (merged.kind === 'refused') throw new RefusalError(merged.refusal);
    return merged.config;
  }

  /** Interval after which the document is checked, before the token of the agents is replaced. */
  private tokenRenewalMs(): number {
    return this.clock.nowMs() + this.config.agentTokenLifetimeMs / 4;
  }

  private async pullSecretOf({ infraEnvId, settings, pullSecretSet }: InfraEnvState): Promise<string> {
    const own = await this.secrets.open(infraEnvId, PULL_SECRET);
    const ofCluster = settings.clusterId ? await this.secrets.open(settings.clusterId, PULL_SECRET) : undefined;
    const found = own ?? ofCluster;
    if (!found && pullSecretSet) {
      throw new RefusalError({
        code: 'not-ready',
        reason: `The stored pull secret of infra-env ${infraEnvId} is missing. Set it again.`,
        subject: 'pull_secret',
      });
    }
    return found?.toString() ?? '';
  }

  /**
   * Returns the time when the document was first rendered. It is the same after a restart, until the document changes.
   */
  private async stamp(infraEnvId: string, isoType: string, ignition: Buffer): Promise<string> {
    const digest = createHash('sha256').update(ignition).digest('hex');
    const { secrets, clock } = this;
    const sealed = await secrets.open(infraEnvId, stampName(isoType));
    const known = sealed && readStamp(sealed.toString());
    if (known?.digest === digest) return known.generatedAt;
    const generatedAt = isoTime(clock.nowMs());
    await secrets.seal(infraEnvId, stampName(isoType), Buffer.from(JSON.stringify({ digest, generatedAt })));
    return generatedAt;
  }
}

const ONLY_WITH_SECRETS: Refusal = {
  code: 'forbidden',
  reason:
    'The discovery config of a disconnected image contains the pull secret. Download it as a user with write access to the infra-env.',
  subject: 'discovery_iso_type',
};

const readStamp = createJsonReader(Type.Object({ digest: Type.String(), generatedAt: Type.String() }), {
  name: 'the stamp of the discovery document',
});

/** Documents that may exceed the limit are compressed to determine their size, which takes 100 ms and more. */
async function refuseOversize(ignition: Buffer, documents: DocumentWorkers): Promise<void> {
  if (ignition.length <= IGNITION_ARCHIVE_BYTES_MAX) return;
  const { length } = await documents.runAlone(DOCUMENT_TASKS.createIgnitionArchive, ignition.length, ignition);
  if (length <= IGNITION_ARCHIVE_BYTES_MAX) return;
  throw new RefusalError({
    code: 'invalid-input',
    reason: `The compressed discovery config of this infra-env has ${length} bytes. Allowed: at most ${IGNITION_ARCHIVE_BYTES_MAX}. Shorten ignition_config_override, static_network_config or additional_trust_bundle.`,
    subject: 'ignition_config_override',
  });
}
