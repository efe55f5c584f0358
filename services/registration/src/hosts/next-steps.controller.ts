import { hostKeyOf, RegistrationService } from '@muster/contracts';
import { Handles, type InputOf, openProxy, type OutputOf, SECRETS, IDS } from '@muster/nest-kit';
import type { Ids, Secrets } from '@muster/ports';
import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Aggregates } from '../aggregates/aggregates';
import { type HostState, isDay2, planSteps, type StepHost } from '@muster/domain';
import { RefusalError } from '@muster/problems';
import { Presence } from '../agents/presence';
import { StepContexts } from '../agents/step-contexts';
import { HostClocks } from '../agents/host-clocks';
import { noSuchHost } from './host-refusals';
import { AgentUpgrades } from '../agents/agent-upgrades';
import { HostSecretVault } from '../secrets/host-secrets';

/** The first digits of a UUID are random. */
const STEP_ID_DIGITS = 8;

@Controller()
export class NextStepsController {
  constructor(
    private readonly aggregates: Aggregates,
    private readonly presence: Presence,
    private readonly stepContext: StepContexts,
    private readonly clocks: HostClocks,
    private readonly vault: HostSecretVault,
    private readonly upgrades: AgentUpgrades,
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  @Handles(RegistrationService.method.nextSteps)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.nextSteps>,
  ): Promise<OutputOf<typeof RegistrationService.method.nextSteps>> {
    const key = hostKeyOf(request.infraEnvId, request.hostId);
    const { state } = await this.aggregates.hosts.load(key);
    if (state.status === 'unregistered') throw new RefusalError(noSuchHost(request.hostId));
    await this.presence.seen(key);
    this.clocks.measured(key, state.epoch, request.timestampSeconds);
    const cluster = state.clusterId ? (await this.aggregates.clusters.load(state.clusterId)).state : undefined;
    const secrets = {
      ignitionAccess: await this.ignitionAccess(state),
      proxy: cluster && (await openProxy(this.secrets, state.clusterId, cluster.settings.proxy)),
    };
    const plan = planSteps(
      this.stepContext.of(key, state, cluster, secrets),
      request.discoveryAgentVersion || state.agentVersion,
    );
    for (const { type, args } of plan.steps) if (type === 'upgrade-agent') this.upgrades.started(state, args[0] ?? '');
    return {
      instructions: plan.steps.map(({ type, args }) => ({
        stepType: type,
        // An agent that is to be replaced has no step to answer for.
        stepId: type === 'upgrade-agent' ? '' : `${type}-${this.ids.uuid().slice(0, STEP_ID_DIGITS)}`,
        args: [...args],
      })),
      nextInstructionSeconds: plan.intervalSeconds,
      postStepAction: plan.then,
    };
  }

  /** Only hosts that join a running cluster fetch their ignition from an endpoint that may ask who they are. */
  private async ignitionAccess(host: HostState): Promise<StepHost['ignitionAccess']> {
    const { ignitionEndpointTokenSet, ignitionEndpointHttpHeadersSet } = host.settings;
    if (!isDay2(host) || !(ignitionEndpointTokenSet || ignitionEndpointHttpHeadersSet)) return undefined;
    const headers = await this.vault.open(host, 'ignition-endpoint-http-headers');
    return {
      token: await this.vault.open(host, 'ignition-endpoint-token'),
      headers: headers ? (JSON.parse(headers) as { readonly [name: string]: string }) : {},
    };
  }
}
