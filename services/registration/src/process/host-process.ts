import { type HostKey, InventoryService } from '@muster/contracts';
import { effectiveRole, type HostCommand, type HostSurroundings } from '@muster/domain';
import { chooseInstallationDisk, eligibleDisks, requirementsOf, requirementsRole } from '@muster/validation-rules';
import { callService, PLATFORM, type Platform } from '@muster/nest-kit';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';
import { CONFIG, type RegistrationConfig } from '../config';
import { surroundingsOf } from './host-surroundings';
import { type HostEntry, RegistrationView } from './registration-view';

/** Brings one host to where its surroundings say it should be. */
@Injectable()
export class HostProcess {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
  ) {}

  async react(key: HostKey): Promise<void> {
    const entry = this.view.host(key);
    if (!entry || entry.state.status === 'unregistered') return;
    await this.clearVoidImageCheck(entry);
    await this.chooseDisk(entry);
    await this.command(entry, { type: 'Refresh', at: this.aggregates.now(), ...this.surroundings(entry) });
  }

  /** What the host's table asks about the world around it, as it is known now. */
  surroundings(entry: HostEntry): HostSurroundings {
    return surroundingsOf(entry, this.view, this.config.softTimeouts);
  }

  /** The images are to be looked at again: the report of the last look no longer counts. */
  private async clearVoidImageCheck({ key, state, checkedImages, lastEventId }: HostEntry): Promise<void> {
    if (!state.isImageCheckVoid || checkedImages.length === 0) return;
    const request = { hostKey: key, stepType: 'container-image-availability', epoch: state.epoch };
    await callService(
      this.platform.requests,
      InventoryService.method.clearReport,
      request,
      this.aggregates.ownContext(lastEventId),
    );
  }

  private async chooseDisk(entry: HostEntry): Promise<void> {
    const { hardware, state } = entry;
    if (!hardware) return;
    const { cluster, version } = this.release(entry);
    const table = requirementsOf(this.config.requirements, version);
    const line = requirementsRole(
      effectiveRole(state),
      cluster?.controlPlaneCount === 1,
      hardware,
      this.config.edgeWorkerProducts,
    );
    const current = { diskId: state.installationDisk.id, diskPath: state.installationDisk.path };
    const chosen = chooseInstallationDisk(current, eligibleDisks(hardware, version, table[line].diskSizeGb));
    if (chosen.diskId === current.diskId) return;
    await this.command(entry, {
      type: 'ChooseInstallationDisk',
      at: this.aggregates.now(),
      ...chosen,
      byPerson: false,
    });
  }

  private release({ state }: HostEntry): {
    readonly cluster?: { readonly controlPlaneCount?: number };
    readonly version: string;
  } {
    const cluster = this.view.cluster(state.clusterId)?.state.settings;
    const version = cluster?.openshiftVersion ?? this.view.infraEnv(state.infraEnvId)?.settings.openshiftVersion ?? '';
    return { cluster, version };
  }

  /** Refusals are expected: the host may have moved on since the view saw it, and the next fact about it brings it back here. */
  private async command(entry: HostEntry, command: HostCommand): Promise<void> {
    await this.aggregates.hosts.handle(entry.key, command, this.aggregates.ownContext(entry.lastEventId));
  }
}
