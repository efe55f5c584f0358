import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  PreflightBody,
  type PreflightClusterRequest,
  type PreflightHostRequest,
  PreviewStaticNetworksBody,
  type Static,
  toClusterSettings,
  toOperatorBundles,
} from '@muster/assisted-api';
import { type ClusterSettings, hostKeyOf, InventoryService, type Plain, ValidationService } from '@muster/contracts';
import { isSingleNodeRequested, decideOperators } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { hostNetworkFiles } from '@muster/ignition-config';
import { DOCUMENT_TASKS, DocumentWorkers, IDS, type InputOf } from '@muster/nest-kit';
import type { Ids } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { Answers } from '../api-document/answers.decorator';
import { Accepts, type Caller, DescribesHosts } from '../auth/caller';
import { Context, CurrentCaller } from '../auth/request.decorators';
import { Commands } from '../bus/commands';
import { ReleaseChoice } from '../catalogue/release-choice';
import { checkPullSecret } from '../http/request.pipes';
import { MUSTER_API } from '../http/routes';
import { PREFLIGHT, type Preflight, presentPreflight } from './present-validations';

type DryRunHost = InputOf<typeof ValidationService.method.dryRun>['hosts'][number];

type DryRunReport = DryRunHost['reports'][number];

/** Infra-env of the hosts of a dry run, which do not exist. */
const NO_INFRA_ENV = '00000000-0000-0000-0000-000000000000';

/** Name of a cluster in a dry run that has no name. */
const UNNAMED = 'preflight';

const PROBLEM = Type.Object(
  { host: Type.Integer(), line: Type.Optional(Type.Integer()), path: Type.String(), problem: Type.String() },
  { title: 'network-problem' },
);

/** `hosts` are in the order of the folders of the image. Empty when there is a problem. */
const PREVIEW = Type.Object(
  {
    form: Type.String(),
    hosts: Type.Array(
      Type.Object(
        {
          mac_interface_map: Type.Array(
            Type.Object({ mac_address: Type.String(), logical_nic_name: Type.String() }, { title: 'mac-interface' }),
          ),
          files: Type.Array(Type.Object({ path: Type.String(), content: Type.String() }, { title: 'network-file' })),
        },
        { title: 'host-network-preview' },
      ),
    ),
    problems: Type.Array(PROBLEM),
    advice: Type.Array(PROBLEM),
  },
  { title: 'static-network-preview' },
);

type Preview = Static<typeof PREVIEW>;

@Controller(MUSTER_API)
export class PreviewsController {
  constructor(
    private readonly documents: DocumentWorkers,
    @Inject(IDS) private readonly ids: Ids,
    private readonly commands: Commands,
    private readonly releases: ReleaseChoice,
  ) {}

  /** Returns the outcomes for a cluster and its hosts by the same rules and role selection as for stored ones. */
  @Post('preflight')
  @HttpCode(200)
  @Answers('Validate a cluster and its hosts without storing anything (dry run).', PREFLIGHT, { refersToOthers: true })
  @Accepts('userAuth')
  @DescribesHosts()
  async preflight(
    @Body() body: PreflightBody,
    @Context() context: CommandContext,
    @CurrentCaller() caller: Caller,
  ): Promise<Preflight> {
    const { cluster, hosts = [] } = body;
    if (cluster.pull_secret) checkPullSecret(cluster.pull_secret);
    const settings = withOperators(
      { name: UNNAMED, ...toClusterSettings(cluster), ...this.releases.ofCluster(cluster, caller), proxy: undefined },
      cluster,
    );
    const dryRun = await Promise.all(hosts.map((host, index) => this.dryRun(host, index, context)));
    // Each part of a large request is a turn of the event loop of its own.
    await nextTurn();
    const found = await this.commands.send(
      ValidationService.method.dryRun,
      {
        settings,
        pullSecretSet: true,
        hosts: dryRun,
        requestedArchitecture: this.releases.architectureOf(cluster),
      },
      context,
    );
    await nextTurn();
    return presentPreflight(found, dryRun);
  }

  private async dryRun(host: PreflightHostRequest, index: number, context: CommandContext): Promise<DryRunHost> {
    const hostId = host.host_id ?? this.ids.uuid();
    const inventory: NonNullable<PreflightHostRequest['reports']> = host.inventory
      ? [{ step_type: 'inventory', output: host.inventory }]
      : [];
    const reports: DryRunReport[] = [];
    for (const { step_type: stepType, output, exit_code: exitCode = 0 } of [...inventory, ...(host.reports ?? [])]) {
      const request = {
        hostKey: hostKeyOf(NO_INFRA_ENV, hostId),
        stepType,
        output: typeof output === 'string' ? output : JSON.stringify(output),
        exitCode,
        error: '',
      };
      const report = await this.commands
        .send(InventoryService.method.readReport, request, context)
        .catch((error: unknown) => {
          throw error instanceof RefusalError ? ofHost(index, error) : error;
        });
      reports.push(report);
    }
    return {
      hostId,
      role: host.role ?? 'auto-assign',
      requestedHostname: host.requested_hostname ?? '',
      installationDiskId: host.installation_disk_id ?? '',
      reports,
    };
  }

  /** Returns the network files of each host for a static network configuration. Nothing is stored. */
  @Post('static-network-previews')
  @HttpCode(200)
  @Answers('Preview the network files of a static network configuration. Nothing is stored.', PREVIEW)
  @Accepts('userAuth')
  async previewStaticNetworks(
    @Body()
    { openshift_version: openshiftVersion = '', static_network_config: configs }: PreviewStaticNetworksBody,
  ): Promise<Preview> {
    const planned = await this.documents.run(DOCUMENT_TASKS.planStaticNetworks, {
      openshiftVersion,
      staticNetworkConfig: JSON.stringify(configs),
    });
    if (!planned) return { form: '', hosts: [], problems: [], advice: [] };
    const { form, networks } = planned;
    const folders = new Map<string, Preview['hosts'][number]['files'][number][]>();
    for (const { path, content } of hostNetworkFiles(networks.hosts, form)) {
      const folder = dirname(path);
      const files = folders.get(folder) ?? [];
      files.push({ path, content });
      folders.set(folder, files);
    }
    const hosts = networks.hosts.map((host, index) => ({
      mac_interface_map: host.mapping.map(({ mac, name }) => ({ mac_address: mac, logical_nic_name: name })),
      files: folders.get(`/etc/assisted/network/host${index}`) ?? [],
    }));
    return { form, hosts, problems: networks.problems, advice: networks.advice };
  }
}

/** Adds the index of the host to a refusal. */
const ofHost = (index: number, { refusal }: RefusalError): RefusalError =>
  new RefusalError({
    ...refusal,
    reason: `hosts.${index}: ${refusal.reason}`,
    subject: [`hosts.${index}`, refusal.subject].filter(Boolean).join('.'),
  });

function withOperators(
  settings: Plain<ClusterSettings>,
  { operator_bundles: bundles }: PreflightClusterRequest,
): Plain<ClusterSettings> {
  if (!settings.olmOperators && !bundles) return settings;
  const cluster = { isSingleNode: isSingleNodeRequested(settings) };
  const decision = decideOperators(settings, toOperatorBundles(bundles), cluster);
  if (decision.kind === 'refused') throw new RefusalError(decision.refusal);
  return { ...settings, olmOperators: decision.choices };
}
