import { createIgnitionArchive, IGNITION_ARCHIVE_BYTES_MAX } from '@muster/boot-image';
import { type InfraEnvSettings, type Plain, RegistrationService } from '@muster/contracts';
import {
  type ClusterState,
  defaultImageType,
  infraEnvChanges,
  infraEnvFeatureRefusal,
  type InfraEnvState,
  mergeInfraEnvSettings,
} from '@muster/domain';
import type { CommandContext, StoredReply } from '@muster/event-sourcing';
import {
  DOCUMENT_TASKS,
  DocumentWorkers,
  Handles,
  type InputOf,
  revokeInfraEnvTokens,
  SECRETS,
} from '@muster/nest-kit';
import type { Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Aggregates } from './aggregates';
import { GivenProxies, NO_OWNER, pullSecretToSeal, SealingCommands } from './sealed-secrets';
import { RegistrationView } from './view/registration-view';

const { method } = RegistrationService;

/** The requests about infra-envs. */
@Controller()
export class InfraEnvsController {
  constructor(
    private readonly aggregates: Aggregates,
    private readonly proxies: GivenProxies,
    private readonly sealing: SealingCommands,
    private readonly view: RegistrationView,
    private readonly documents: DocumentWorkers,
    @Inject(SECRETS) private readonly secrets: Secrets,
  ) {}

  @Handles(method.registerInfraEnv)
  async register(
    @Payload() request: InputOf<typeof method.registerInfraEnv>,
    @Ctx() context: CommandContext,
  ): Promise<StoredReply> {
    const { infraEnvId, settings: given = {}, owner = NO_OWNER, pullSecret } = request;
    const { proxy, toSeal } = await this.proxies.split(infraEnvId, given.proxy);
    const cluster = given.clusterId ? await this.clusterOrThrow(given.clusterId) : undefined;
    const settings = { ...given, proxy, imageType: given.imageType || defaultImageType(cluster) };
    const refusal = infraEnvFeatureRefusal(settings, undefined, cluster);
    if (refusal) throw new RefusalError(refusal);
    refuseLargeOverride(settings.ignitionConfigOverride);
    await this.checkStaticNetworks(settings);
    const at = this.aggregates.now();
    const command = { type: 'Register', at, infraEnvId, settings, owner, pullSecretSet: pullSecret !== '' } as const;
    const toKeep = [...pullSecretToSeal(pullSecret), ...toSeal];
    return { stored: await this.sealing.handle(this.aggregates.infraEnvs, infraEnvId, command, toKeep, context) };
  }

  @Handles(method.reviseInfraEnv)
  async revise(
    @Payload() request: InputOf<typeof method.reviseInfraEnv>,
    @Ctx() context: CommandContext,
  ): Promise<StoredReply> {
    const { infraEnvId, changes: given = {}, pullSecret } = request;
    const { state } = await this.aggregates.infraEnvs.load(infraEnvId);
    const { proxy, toSeal } = await this.proxies.split(infraEnvId, given.proxy, state.settings.proxy);
    const changes = { ...given, proxy };
    await this.refuseUnsupported(state, changes);
    if (changes.ignitionConfigOverride !== state.settings.ignitionConfigOverride)
      refuseLargeOverride(changes.ignitionConfigOverride);
    if (changes.staticNetworkConfig !== undefined || changes.openshiftVersion !== undefined)
      await this.checkStaticNetworks(mergeInfraEnvSettings(state.settings, infraEnvChanges(state.settings, changes)));
    const at = this.aggregates.now();
    const command = { type: 'Revise', at, changes, pullSecretReplaced: Boolean(pullSecret) } as const;
    const toKeep = [...pullSecretToSeal(pullSecret), ...toSeal];
    return { stored: await this.sealing.handle(this.aggregates.infraEnvs, infraEnvId, command, toKeep, context) };
  }

  /** The network documents of many hosts take seconds to read, so they are read beside the main thread. */
  private async checkStaticNetworks(settings: Plain<InfraEnvSettings>): Promise<void> {
    if (!settings.staticNetworkConfig) return;
    const problem = await this.documents.run(DOCUMENT_TASKS.checkStaticNetworks, settings);
    if (problem) throw new RefusalError({ code: 'invalid-input', subject: 'static_network_config', ...problem });
  }

  @Handles(method.rotateSigningKey)
  async rotateSigningKey(
    @Payload() { infraEnvId }: InputOf<typeof method.rotateSigningKey>,
    @Ctx() context: CommandContext,
  ): Promise<StoredReply> {
    // The tokens are revoked before the event is stored: an event must not claim a rotation that did not happen.
    await revokeInfraEnvTokens(this.secrets, infraEnvId);
    const command = { type: 'RotateSigningKey', at: this.aggregates.now() } as const;
    return { stored: await this.aggregates.infraEnvs.execute(infraEnvId, command, context) };
  }

  /** Removes the infra-env. A reaction to the stored event shreds its secrets. */
  @Handles(method.deregisterInfraEnv)
  async deregister(
    @Payload() { infraEnvId }: InputOf<typeof method.deregisterInfraEnv>,
    @Ctx() context: CommandContext,
  ): Promise<StoredReply> {
    const hostCount = this.view.hostCountOfInfraEnv(infraEnvId);
    const command = { type: 'Deregister', at: this.aggregates.now(), hostCount } as const;
    return { stored: await this.aggregates.infraEnvs.execute(infraEnvId, command, context) };
  }

  private async clusterOrThrow(clusterId: string): Promise<ClusterState> {
    const { state } = await this.aggregates.clusters.load(clusterId);
    if (state.status !== 'unregistered' && state.status !== 'deregistered') return state;
    throw new RefusalError({
      code: 'not-found',
      reason: `Cluster ${clusterId} does not exist. Register it first.`,
      subject: 'cluster_id',
    });
  }

  /** An unknown infra-env is refused by the command itself. */
  private async refuseUnsupported(state: InfraEnvState, changes: Plain<InfraEnvSettings>): Promise<void> {
    if (state.status !== 'registered') return;
    const { clusterId } = state.settings;
    const cluster = clusterId ? (await this.aggregates.clusters.load(clusterId)).state : undefined;
    const refusal = infraEnvFeatureRefusal(changes, state.settings, cluster);
    if (refusal) throw new RefusalError(refusal);
  }
}

/** What an ordinary discovery configuration takes of the area in the image. */
const OWN_PART_BYTES = 16 * 1024;

/** @throws RefusalError when no image can carry the override. */
function refuseLargeOverride(text = ''): void {
  const bytes = createIgnitionArchive(new TextEncoder().encode(text)).length;
  const bytesMax = IGNITION_ARCHIVE_BYTES_MAX - OWN_PART_BYTES;
  if (bytes <= bytesMax) return;
  const reason = `ignition_config_override takes ${bytes} bytes of the image when it is compressed. Allowed: at most ${bytesMax}. Let hosts fetch large files from a server instead.`;
  throw new RefusalError({ code: 'invalid-input', subject: 'ignition_config_override', reason });
}
