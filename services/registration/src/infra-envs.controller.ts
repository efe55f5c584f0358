import { type InfraEnvSettings, type Plain, RegistrationService } from '@muster/contracts';
import { type ClusterState, defaultImageType, infraEnvFeatureRefusal, type InfraEnvState } from '@muster/domain';
import type { CommandContext, StoredReply } from '@muster/event-sourcing';
import { Handles, type InputOf, revokeInfraEnvTokens, SECRETS } from '@muster/nest-kit';
import { KeyedQueue, type Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Controller, Inject } from '@nestjs/common';
import { BusRevocations } from './agents/bus-revocations';
import { Aggregates } from './aggregates';
import { GivenDocuments, GivenProxies, NO_OWNER, pullSecretToSeal, SealingCommands } from './sealed-secrets';
import { RegistrationView } from './view/registration-view';

const { method } = RegistrationService;

/** Message handlers for infra-envs. */
@Controller()
export class InfraEnvsController {
  private readonly revisions = new KeyedQueue();

  constructor(
    private readonly aggregates: Aggregates,
    private readonly proxies: GivenProxies,
    private readonly sealing: SealingCommands,
    private readonly view: RegistrationView,
    private readonly documents: GivenDocuments,
    @Inject(SECRETS) private readonly secrets: Secrets,
    private readonly revocations: BusRevocations,
  ) {}

  @Handles(method.registerInfraEnv)
  async register(request: InputOf<typeof method.registerInfraEnv>, context: CommandContext): Promise<StoredReply> {
    const { infraEnvId, settings: given = {}, owner = NO_OWNER, pullSecret } = request;
    const { proxy, toSeal } = await this.proxies.split(infraEnvId, given.proxy);
    const cluster = given.clusterId ? await this.clusterOrThrow(given.clusterId) : undefined;
    const imageType = given.imageType || defaultImageType(cluster);
    const refusal = infraEnvFeatureRefusal({ ...given, proxy, imageType }, undefined, cluster);
    if (refusal) throw new RefusalError(refusal);
    const documents = await this.documents.ofInfraEnv(infraEnvId, request, given);
    const settings = { ...given, proxy, imageType, ...documents.changes };
    const at = this.aggregates.now();
    const command = { type: 'Register', at, infraEnvId, settings, owner, pullSecretSet: pullSecret !== '' } as const;
    const toKeep = [...pullSecretToSeal(pullSecret), ...toSeal, ...documents.toSeal];
    const { infraEnvs } = this.aggregates;
    return { stored: await this.sealing.handle(infraEnvs, infraEnvId, command, toKeep, context, true) };
  }

  /** Changes are completed from the present settings, so a revision of the same infra-env waits until the one before is stored. */
  @Handles(method.reviseInfraEnv)
  revise(request: InputOf<typeof method.reviseInfraEnv>, context: CommandContext): Promise<StoredReply> {
    return this.revisions.run(request.infraEnvId, () => this.reviseInTurn(request, context));
  }

  private async reviseInTurn(
    request: InputOf<typeof method.reviseInfraEnv>,
    context: CommandContext,
  ): Promise<StoredReply> {
    const { infraEnvId, changes: given = {}, pullSecret } = request;
    const { state } = await this.aggregates.infraEnvs.load(infraEnvId);
    const { proxy, toSeal } = await this.proxies.split(infraEnvId, given.proxy, state.settings.proxy);
    await this.refuseUnsupported(state, { ...given, proxy });
    const documents = await this.documents.ofInfraEnv(infraEnvId, request, given, state.settings);
    const changes = { ...given, proxy, ...documents.changes };
    const at = this.aggregates.now();
    const command = { type: 'Revise', at, changes, pullSecretReplaced: Boolean(pullSecret) } as const;
    const toKeep = [...pullSecretToSeal(pullSecret), ...toSeal, ...documents.toSeal];
    return { stored: await this.sealing.handle(this.aggregates.infraEnvs, infraEnvId, command, toKeep, context) };
  }

  @Handles(method.rotateSigningKey)
  async rotateSigningKey(
    { infraEnvId }: InputOf<typeof method.rotateSigningKey>,
    context: CommandContext,
  ): Promise<StoredReply> {
    const command = { type: 'RotateSigningKey', at: this.aggregates.now() } as const;
    // The tokens are revoked before the event is stored: an event must not claim a rotation that did not happen. A refused or
    // repeated command revokes nothing, because no event would let other services replace the old tokens.
    const revoke = async (): Promise<void> => {
      await revokeInfraEnvTokens(this.secrets, infraEnvId);
      await this.revocations.endInfraEnv(infraEnvId);
    };
    return { stored: await this.aggregates.infraEnvs.execute(infraEnvId, command, context, revoke) };
  }

  /** Deregisters the infra-env. A reaction to the stored event destroys its secrets. */
  @Handles(method.deregisterInfraEnv)
  async deregister(
    { infraEnvId }: InputOf<typeof method.deregisterInfraEnv>,
    context: CommandContext,
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

  /** The command itself refuses an unknown infra-env. */
  private async refuseUnsupported(state: InfraEnvState, changes: Plain<InfraEnvSettings>): Promise<void> {
    if (state.status !== 'registered') return;
    const { clusterId } = state.settings;
    const cluster = clusterId ? (await this.aggregates.clusters.load(clusterId)).state : undefined;
    const refusal = infraEnvFeatureRefusal(changes, state.settings, cluster);
    if (refusal) throw new RefusalError(refusal);
  }
}
