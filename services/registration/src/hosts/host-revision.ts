import { type HostKey, hostKeyOf, type RegistrationService } from '@muster/contracts';
import { type HostCommand, hostFeatureRefusal } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import type { InputOf } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import { chooseInstallationDisk, diskIdOf, isDisk, isHostname } from '@muster/validation-rules';
import { Injectable } from '@nestjs/common';
import { NOTHING_STORED, type Stored, storedOrThrow } from '../aggregates/aggregate';
import { Aggregates } from '../aggregates/aggregates';
import { InstallationDisks } from './installation-disks';
import { RegistrationView } from '../view/registration-view';
import { noSuchHost } from './host-refusals';
import { HostSecretVault } from '../secrets/host-secrets';

type Request = InputOf<typeof RegistrationService.method.reviseHost>;

/** What a person chooses for a host. */
@Injectable()
export class HostRevision {
  constructor(
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
    private readonly disks: InstallationDisks,
    private readonly vault: HostSecretVault,
  ) {}

  /** Done as a whole or not at all: if one choice is refused, none is made. */
  async revise(request: Request, context: CommandContext): Promise<Stored> {
    const key = hostKeyOf(request.infraEnvId, request.hostId);
    const { state } = await this.aggregates.hosts.load(key);
    if (state.status === 'unregistered') throw new RefusalError(noSuchHost(request.hostId));
    await this.refuseWithoutUse(request, state.clusterId);
    const choices = [...this.commandsOf(key, request)].map((command, index) => ({
      command,
      context: { ...context, commandId: index === 0 ? context.commandId : `${context.commandId}#${index}` },
    }));
    // Handling a choice that would be refused tells why, and finds out when it is merely repeated.
    for (const choice of choices)
      if (!(await this.aggregates.hosts.accepts(key, choice.command))) await this.choose(key, choice);
    // Sealed before the fact that they were given, and only once nothing can be refused any more.
    await this.vault.seal(request.infraEnvId, request.hostId, request);
    let stored = NOTHING_STORED;
    for (const choice of choices) stored = await this.choose(key, choice);
    return stored;
  }

  /** Arbiters and fencing are for some clusters only. */
  private async refuseWithoutUse({ hostRole = '', fencingCredentials }: Request, clusterId: string): Promise<void> {
    const choice = { role: hostRole, hasFencingCredentials: Boolean(fencingCredentials) };
    if (!clusterId || (choice.role !== 'arbiter' && !choice.hasFencingCredentials)) return;
    const refusal = hostFeatureRefusal(choice, (await this.aggregates.clusters.load(clusterId)).state);
    if (refusal) throw new RefusalError(refusal);
  }

  private async choose(
    key: HostKey,
    { command, context }: { readonly command: HostCommand; readonly context: CommandContext },
  ): Promise<Stored> {
    return storedOrThrow(await this.aggregates.hosts.handle(key, command, context));
  }

  private *commandsOf(key: HostKey, request: Request): Generator<HostCommand> {
    const at = this.aggregates.now();
    if (request.hostName !== undefined) {
      refuseImpossibleName(request.hostName);
      yield { type: 'Rename', at, hostname: request.hostName };
    }
    if (request.hostRole !== undefined) yield { type: 'AssignRole', at, role: request.hostRole };
    if (request.installationDiskId !== undefined)
      yield { type: 'ChooseInstallationDisk', at, ...this.disk(key, request.installationDiskId), byPerson: true };
    const changes = { ...request.settings, ...this.vault.flagsOf(request) };
    if (Object.keys(changes).length > 0) yield { type: 'ReviseSettings', at, changes };
  }

  private disk(key: HostKey, wanted: string): { readonly diskId: string; readonly diskPath: string } {
    const entry = this.view.host(key);
    const eligible = entry ? this.disks.eligible(entry) : [];
    const disk = eligible.find((candidate) => isDisk(candidate, wanted));
    if (disk) return chooseInstallationDisk({ diskId: wanted, diskPath: '' }, [disk]);
    throw new RefusalError({
      code: 'not-allowed-in-state',
      reason: `The host has no disk ${wanted} that can be installed on; the inventory says why for each of its disks.`,
      subject: 'disks_selected_config',
      allowed: eligible.map(diskIdOf),
    });
  }
}

/** Empty: the name that the machine reports. */
function refuseImpossibleName(name: string): void {
  if (name === '' || isHostname(name)) return;
  throw new RefusalError({
    code: 'invalid-input',
    reason: `"${name}" cannot be a host name: use letters, digits, hyphens and dots, at most 63 between two dots.`,
    subject: 'host_name',
  });
}
