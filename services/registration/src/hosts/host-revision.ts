import { type HostKey, hostKeyOf, type RegistrationService } from '@muster/contracts';
import {
  diskRefusal,
  type HostCommand,
  hostFeatureRefusal,
  hostnameRefusal,
  hostNotFound,
  installerArgsRefusal,
  keptDisksRefusal,
  nodeLabelsRefusal,
  poolNameRefusal,
} from '@muster/domain';
import type { CommandContext, Stored } from '@muster/event-sourcing';
import type { InputOf } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import { chooseInstallationDisk } from '@muster/validation-rules';
import { Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates';
import { HostSecretVault } from '../sealed-secrets';
import { RegistrationView } from '../view/registration-view';
import { InstallationDisks } from './host-process';

type Request = InputOf<typeof RegistrationService.method.reviseHost>;

/** Changes of a host that a user requests. */
@Injectable()
export class HostRevision {
  constructor(
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
    private readonly disks: InstallationDisks,
    private readonly vault: HostSecretVault,
  ) {}

  /** Applies all changes or none. @throws RefusalError for the first change that is refused. */
  async revise(request: Request, context: CommandContext): Promise<Stored> {
    const key = hostKeyOf(request.infraEnvId, request.hostId);
    const { state } = await this.aggregates.hosts.load(key);
    if (state.status === 'unregistered') throw new RefusalError(hostNotFound(request.hostId));
    await this.refuseUnsupported(request, state.clusterId);
    const hasSecrets = Object.keys(this.vault.settingsOf(request)).length > 0;
    const seal = (): Promise<void> => this.vault.seal(request.infraEnvId, request.hostId, request);
    // Secrets are sealed before the event that refers to them.
    return this.aggregates.hosts.execute(
      key,
      [...this.commandsOf(key, request)],
      context,
      hasSecrets ? seal : undefined,
    );
  }

  /** Only some clusters support arbiters and fencing. */
  private async refuseUnsupported({ hostRole = '', fencingCredentials }: Request, clusterId: string): Promise<void> {
    const choice = { role: hostRole, hasFencingCredentials: Boolean(fencingCredentials) };
    if (!clusterId || (choice.role !== 'arbiter' && !choice.hasFencingCredentials)) return;
    const refusal = hostFeatureRefusal(choice, (await this.aggregates.clusters.load(clusterId)).state);
    if (refusal) throw new RefusalError(refusal);
  }

  private *commandsOf(key: HostKey, request: Request): Generator<HostCommand> {
    const at = this.aggregates.now();
    if (request.hostName !== undefined) {
      const refusal = hostnameRefusal(request.hostName);
      if (refusal) throw new RefusalError(refusal);
      yield { type: 'Rename', at, hostname: request.hostName };
    }
    if (request.hostRole !== undefined) yield { type: 'AssignRole', at, role: request.hostRole };
    if (request.installationDiskId !== undefined)
      yield { type: 'ChooseInstallationDisk', at, ...this.disk(key, request.installationDiskId), byUser: true };
    const { nodeLabels = '', installerArgs = '', machineConfigPoolName = '' } = request.settings ?? {};
    const disks = request.disks?.items ?? [];
    const refusal =
      nodeLabelsRefusal(nodeLabels) ??
      installerArgsRefusal(installerArgs) ??
      poolNameRefusal(machineConfigPoolName) ??
      keptDisksRefusal(disks.flatMap(({ diskId, skip }) => (skip ? [diskId] : [])));
    if (refusal) throw new RefusalError(refusal);
    const changes = { ...request.settings, ...this.vault.settingsOf(request) };
    if (Object.keys(changes).length > 0 || disks.length > 0) yield { type: 'ReviseSettings', at, changes, disks };
  }

  private disk(key: HostKey, wanted: string): { readonly diskId: string; readonly diskPath: string } {
    const entry = this.view.host(key);
    const eligible = entry ? this.disks.eligible(entry) : [];
    const refusal = diskRefusal(wanted, eligible, 'disks_selected_config');
    if (refusal) throw new RefusalError(refusal);
    return chooseInstallationDisk({ diskId: wanted, diskPath: '' }, eligible);
  }
}
