import { effectiveRole, installableDisks } from '@muster/domain';
import { chooseInstallationDisk, type Disk, type InstallationDisk } from '@muster/validation-rules';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type RegistrationConfig } from '../config';
import { RegistrationView } from '../view/registration-view';
import type { HostEntry } from '../view/view-entries';

/** Which disks a host may be installed on, by the release, the role and the machine. */
@Injectable()
export class InstallationDisks {
  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly view: RegistrationView,
  ) {}

  eligible({ state, hardware }: HostEntry): readonly Disk[] {
    if (!hardware) return [];
    const cluster = this.view.cluster(state.clusterId)?.state.settings;
    const infraEnv = this.view.infraEnv(state.infraEnvId)?.settings;
    return installableDisks(
      hardware,
      {
        effectiveRole: effectiveRole(state),
        openshiftVersion: cluster?.openshiftVersion ?? infraEnv?.openshiftVersion ?? '',
        isSingleNode: cluster?.controlPlaneCount === 1,
      },
      this.config,
    );
  }

  /** The disk to install on when it is another than before; undefined when it stays or nothing is known of the disks. */
  changeOf(entry: HostEntry): InstallationDisk | undefined {
    if (!entry.hardware) return undefined;
    const { id, path } = entry.state.installationDisk;
    const chosen = chooseInstallationDisk({ diskId: id, diskPath: path }, this.eligible(entry));
    return chosen.diskId === id && chosen.diskPath === path ? undefined : chosen;
  }
}
