import type { HostKey } from '@muster/contracts';
import { effectiveRole, type HostCommand, type HostSurroundings } from '@muster/domain';
import { chooseInstallationDisk, eligibleDisks } from '@muster/validation-rules';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';
import { CONFIG, type RegistrationConfig } from '../config';
import { surroundingsOf } from './host-surroundings';
import { type HostEntry, RegistrationView } from './registration-view';

/** Brings one host to where its surroundings say it should be. */
@Injectable()
export class HostProcess {
  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
  ) {}

  async react(key: HostKey): Promise<void> {
    const entry = this.view.host(key);
    if (!entry || entry.state.status === 'unregistered') return;
    await this.chooseDisk(entry);
    await this.command(entry, { type: 'Refresh', at: this.aggregates.now(), ...this.surroundings(entry) });
  }

  /** What the host's table asks about the world around it, as it is known now. */
  surroundings(entry: HostEntry): HostSurroundings {
    return surroundingsOf(entry, this.view, this.config.softTimeouts);
  }

  private async chooseDisk(entry: HostEntry): Promise<void> {
    const { hardware, state } = entry;
    if (!hardware) return;
    const disks = eligibleDisks(hardware, {
      openshiftVersion: this.openshiftVersionOf(entry),
      role: effectiveRole(state),
      controlPlaneCount: this.view.cluster(state.clusterId)?.state.settings.controlPlaneCount ?? 3,
    });
    const { id: diskId, path: diskPath, isChosenByPerson } = state.installationDisk;
    const chosen = chooseInstallationDisk({ id: diskId, path: diskPath }, disks);
    if (chosen?.id === diskId || (!chosen && !diskId)) return;
    await this.command(entry, {
      type: 'ChooseInstallationDisk',
      at: this.aggregates.now(),
      diskId: chosen?.id ?? '',
      diskPath: chosen?.path ?? '',
      byPerson: isChosenByPerson && chosen?.id === diskId,
    });
  }

  private openshiftVersionOf({ state }: HostEntry): string {
    const cluster = this.view.cluster(state.clusterId)?.state.settings.openshiftVersion;
    return cluster ?? this.view.infraEnv(state.infraEnvId)?.settings.openshiftVersion ?? '';
  }

  /** Refusals are expected: the host may have moved on since the view saw it, and the next fact about it brings it back here. */
  private async command(entry: HostEntry, command: HostCommand): Promise<void> {
    await this.aggregates.hosts.handle(entry.key, command, this.aggregates.ownContext(entry.lastEventId));
  }
}
