import { type HostKey, InventoryService } from '@muster/contracts';
import type { HostCommand, HostSurroundings } from '@muster/domain';
import { callService, REQUESTS } from '@muster/nest-kit';
import type { Requests } from '@muster/ports';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';
import { CONFIG, type RegistrationConfig } from '../config';
import { surroundingsOf } from './host-surroundings';
import { InstallationDisks } from './installation-disks';
import { type HostEntry, RegistrationView } from '../view/registration-view';

/** Brings one host to where its surroundings say it should be. */
@Injectable()
export class HostProcess {
  constructor(
    @Inject(REQUESTS) private readonly requests: Requests,
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
    private readonly disks: InstallationDisks,
  ) {}

  async react(key: HostKey): Promise<void> {
    const entry = this.view.host(key);
    if (!entry || entry.state.status === 'unregistered') return;
    await this.clearVoidImageCheck(entry);
    const at = this.aggregates.now();
    const disk = this.disks.changeOf(entry);
    if (disk) await this.command(entry, { type: 'ChooseInstallationDisk', at, ...disk, byPerson: false });
    await this.command(entry, { type: 'Refresh', at, ...this.surroundings(entry) });
  }

  /** What the host's table asks about the world around it, as it is known now. */
  surroundings(entry: HostEntry): HostSurroundings {
    const { softTimeouts, images } = this.config;
    return { ...surroundingsOf(entry, this.view, softTimeouts), installerImage: images.installer };
  }

  /** The images are to be looked at again: the report of the last look no longer counts. */
  private async clearVoidImageCheck(entry: HostEntry): Promise<void> {
    const { key, state, checkedImages } = entry;
    if (!state.isImageCheckVoid || checkedImages.length === 0) return;
    const request = { hostKey: key, stepType: 'container-image-availability', epoch: state.epoch };
    const context = this.aggregates.ownContext(entry);
    await callService(this.requests, InventoryService.method.clearReport, request, context);
  }

  /** Refusals are expected: the host may have moved on since the view saw it, and the next fact about it brings it back here. */
  private async command(entry: HostEntry, command: HostCommand): Promise<void> {
    await this.aggregates.hosts.handle(entry.key, command, this.aggregates.ownContext(entry));
  }
}
