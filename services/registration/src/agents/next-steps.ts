import { documentSecretName, type HostKey, hostKeyOf, type RegistrationService } from '@muster/contracts';
import {
  CHECKED_HOSTS_CHARACTERS_MAX,
  type ClusterState,
  hasTooManyPeers,
  hostNotFound,
  type HostState,
  isClosedHost,
  isDay2,
  lacksCoreosImage,
  planSteps,
  PollScheduler,
  type StepHost,
} from '@muster/domain';
import { BoundedMap } from '@muster/event-sourcing';
import { authoritiesOf, parseIgnitionOverride } from '@muster/ignition-config';
import { IDS, type InputOf, keepJson, openProxy, type OutputOf, readHttpHeaders, SECRETS } from '@muster/nest-kit';
import type { Ids, Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { textAt } from '@muster/schema';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates';
import { HostSecretVault } from '../sealed-secrets';
import { RegistrationView } from '../view/registration-view';
import { AgentUpgrades } from './agent-upgrades';
import { IdentityClaims, Presence } from './presence';
import { StepContexts } from './step-contexts';
import { StepFailures } from './step-failures';
import { HostClocks } from './step-replies';

type Method = typeof RegistrationService.method.nextSteps;

/** The first digits of a UUID are random. */
const STEP_ID_DIGITS = 8;

/** Size of the certificate authorities of all overrides that are kept. One certificate has 2,000 characters. */
const AUTHORITIES_MAX_CHARACTERS = 4 * 1_024 * 1_024;

/** The host gets no install step. */
const NO_COREOS_IMAGE = {
  stepType: 'install',
  exitCode: 0,
  error:
    'The host runs from its disk, which must not be written, and the CoreOS image of the release is not known. Boot the host from the discovery image.',
};

/** The host gets no connectivity check. */
const TOO_MANY_PEERS = {
  stepType: 'connectivity-check',
  exitCode: 0,
  error: `The list of the hosts of the cluster with their network cards is too long for one message. Allowed: at most ${CHECKED_HOSTS_CHARACTERS_MAX} characters. Remove hosts from the cluster, or addresses and network cards from its hosts.`,
};

/** Answers the polls of agents. */
@Injectable()
export class NextSteps {
  private readonly pace = new PollScheduler();
  /** Certificate authorities of overrides, PEM by the digest of the override. An override may be large, and polls are many. */
  private readonly authorities = new BoundedMap<string, string>(AUTHORITIES_MAX_CHARACTERS);

  constructor(
    private readonly aggregates: Aggregates,
    private readonly presence: Presence,
    private readonly contexts: StepContexts,
    private readonly clocks: HostClocks,
    private readonly vault: HostSecretVault,
    private readonly upgrades: AgentUpgrades,
    private readonly failures: StepFailures,
    private readonly identities: IdentityClaims,
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(IDS) private readonly ids: Ids,
    private readonly view: RegistrationView,
  ) {}

  /** @throws RefusalError `not-found` when the host is not registered. */
  async plan(request: InputOf<Method>): Promise<OutputOf<Method>> {
    const key = hostKeyOf(request.infraEnvId, request.hostId);
    const { state } = await this.aggregates.hosts.load(key);
    if (state.status === 'unregistered') throw new RefusalError(hostNotFound(request.hostId));
    // Each wait costs a turn of the microtask queue, and most polls have nothing to wait for.
    const returned = this.presence.seen(key);
    if (returned) await returned;
    const isClosed = isClosedHost(state);
    // Two machines poll in turn during a conflict, and every poll would differ from the one before.
    const isOneMachine = state.conflict === undefined;
    if (isOneMachine && !isClosed) this.clocks.measured(key, state.generation, request.timestampSeconds);
    if (isOneMachine && isOther(request.discoveryAgentVersion, state))
      await this.noteAgent(key, state, request.discoveryAgentVersion);
    const cluster = state.clusterId ? (await this.aggregates.clusters.load(state.clusterId)).state : undefined;
    const proxy = cluster?.settings.proxy;
    const secrets = {
      ignitionAccess: hasIgnitionAccess(state) ? await this.ignitionAccess(state, cluster) : undefined,
      proxy: proxy && (await openProxy(this.secrets, state.clusterId, proxy)),
    };
    const situation = {
      host: key,
      hostStatus: state.status,
      clusterId: state.clusterId,
      clusterStatus: cluster?.status ?? '',
      hostCount: this.view.hostCountOf(state.clusterId),
      remoteHosts: () => this.contexts.remoteHosts(state.clusterId),
      receivesNudges: request.receivesNudges,
    };
    const version = request.discoveryAgentVersion || state.agentVersion;
    const context = this.contexts.of(key, state, cluster, secrets);
    const whole = planSteps(context, version);
    const nowMs = this.contexts.steady.nowMs();
    const isContested = !isOneMachine && whole.steps.some(({ type }) => type === 'inventory');
    if (isContested) this.identities.requireClaim(key, nowMs);
    if (state.status === 'installing' && lacksCoreosImage(context)) this.failures.note(state, NO_COREOS_IMAGE);
    if (hasTooManyPeers(context)) this.failures.note(state, TOO_MANY_PEERS);
    // Each of the two machines gets all steps, although the other one has just polled.
    const plan = isContested ? { ...whole, holdSeconds: 0 } : this.pace.apply(whole, situation, nowMs);
    if (isClosed) this.pace.forget(key);
    for (const { type, args } of plan.steps) if (type === 'upgrade-agent') this.upgrades.started(state, args[0] ?? '');
    const response = {
      instructions: plan.steps.map(({ type, args }) => ({
        stepType: type,
        // The agent is replaced before it can reply, so the upgrade step has no id.
        stepId: type === 'upgrade-agent' ? '' : `${type}-${this.ids.uuid().slice(0, STEP_ID_DIGITS)}`,
        args: [...args],
      })),
      nextInstructionSeconds: plan.intervalSeconds,
      postStepAction: plan.then,
      holdSeconds: plan.holdSeconds,
    };
    const check = response.instructions.find(({ stepType }) => stepType === 'connectivity-check');
    const json = check && this.contexts.remoteHosts(state.clusterId).jsonWithout(key);
    if (json) keepJson(response, new Map([[check.stepId, json]]));
    return response;
  }

  /** An agent that was upgraded polls with another version than it registered with. */
  private async noteAgent(key: HostKey, state: HostState, agentVersion: string): Promise<void> {
    const command = { type: 'ReportAgentVersion', at: this.aggregates.now(), agentVersion } as const;
    await this.aggregates.hosts.handle(key, command, this.aggregates.ownContext({ state }));
  }

  /** Removes the memory of a host that was installed or removed. */
  forget(key: HostKey): void {
    this.pace.forget(key);
  }

  /** Returns the token, the headers and the certificate authorities of the Ignition endpoint. */
  private async ignitionAccess(
    host: HostState,
    cluster: ClusterState | undefined,
  ): Promise<StepHost['ignitionAccess']> {
    const headers = await this.vault.open(host, 'ignition-endpoint-http-headers');
    return {
      token: await this.vault.open(host, 'ignition-endpoint-token'),
      headers: readHttpHeaders(headers || '{}'),
      caCertificate: withAuthorities(cluster, await this.authoritiesOfOverride(host)),
    };
  }

  /**
   * Returns the certificate authorities of the host's Ignition override, PEM. Empty also while the override cannot be read, because
   * the download of the config states the reason.
   */
  private async authoritiesOfOverride({ infraEnvId, settings }: HostState): Promise<string> {
    const digest = settings.ignitionConfigOverrides?.digest;
    if (!digest) return '';
    const known = this.authorities.get(digest);
    if (known !== undefined) return known;
    const text = await this.secrets.open(infraEnvId, documentSecretName(digest));
    const parsed = text && parseIgnitionOverride(text.toString('utf8'), 'ignition_config_override');
    if (!parsed) return '';
    const pem = parsed.kind === 'parsed' ? authoritiesOf(parsed.config) : '';
    this.authorities.set(digest, pem, pem.length + 1);
    return pem;
  }
}

const isOther = (agentVersion: string, state: HostState): boolean =>
  agentVersion !== '' && agentVersion !== state.agentVersion;

/** Only hosts that join a running cluster have access data of their own for the Ignition endpoint. */
const hasIgnitionAccess = (host: HostState): boolean => {
  const { ignitionConfigOverrides, ignitionEndpointHttpHeadersSet, ignitionEndpointTokenSet } = host.settings;
  const isSet = ignitionEndpointTokenSet || ignitionEndpointHttpHeadersSet || ignitionConfigOverrides?.digest;
  return isDay2(host) && Boolean(isSet);
};

/** Adds the authorities to those that the cluster names for its endpoint, base64 of PEM. Empty without additional authorities. */
function withAuthorities(cluster: ClusterState | undefined, pem: string): string {
  if (pem === '') return '';
  const own = Buffer.from(textAt(cluster?.settings.ignitionEndpoint, 'ca_certificate') ?? '', 'base64').toString();
  return Buffer.from(own === '' ? pem : `${own}\n${pem}`).toString('base64');
}
