import type { HostDocument, InfraEnvDocument } from '@muster/assisted-api';
import { BootImageError, ipxeBootScript, ipxeChainScript } from '@muster/boot-image';
import { RefusalError } from '@muster/problems';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ReportedBodies } from '../views/host-texts';
import { HostViews } from '../views/host-views';
import { ImageUrls } from '../views/infra-env-views';

/**
 * Returns the values of the kernel arguments of an infra-env, which are stored as the text of a JSON list of
 * operations.
 */
export function appendedArguments(stored: string): readonly string[] {
  if (stored === '') return [];
  const list = JSON.parse(stored) as readonly { readonly operation?: string; readonly value?: string }[];
  return list.flatMap(({ operation, value }) => (operation === 'append' && value ? [value] : []));
}

export interface IpxeScriptRequest {
  /** `discovery-image-always` (also when empty) or `boot-order-control`. */
  readonly type: string;
  /** MAC address of the machine; empty when the request has none. */
  readonly mac: string;
}

export const IPXE_SCRIPT = 'ipxe-script';
const BOOT_ORDER_CONTROL = 'boot-order-control';
const STATUSES_IN_INSTALLATION: readonly string[] = ['installing-in-progress', 'added-to-existing-cluster'];
const STAGES_ON_DISK: readonly string[] = ['Rebooting', 'Waiting for ignition', 'Configuring', 'Joined', 'Done'];

/** Creates iPXE scripts for hosts that boot over the network. */
@Injectable()
export class IpxeScripts {
  constructor(
    private readonly urls: ImageUrls,
    private readonly hosts: HostViews,
    private readonly bodies: ReportedBodies,
  ) {}

  /**
   * @throws RefusalError `not-found` for a host that must boot from its disk; then its firmware continues with the next
   * boot device
   */
  async script(infraEnv: InfraEnvDocument, { type, mac }: IpxeScriptRequest, request: FastifyRequest): Promise<string> {
    try {
      if (type === BOOT_ORDER_CONTROL && mac === '') {
        const parameters = { file_name: IPXE_SCRIPT, ipxe_script_type: BOOT_ORDER_CONTROL };
        return ipxeChainScript(await this.urls.file(infraEnv, parameters, request));
      }
      if (type === BOOT_ORDER_CONTROL) await this.refuseOnDisk(infraEnv.id, mac.toLowerCase());
      return ipxeBootScript({
        ...(await this.urls.networkBoot(infraEnv, request)),
        appendKargs: appendedArguments(infraEnv.kernel_arguments ?? ''),
      });
    } catch (error) {
      if (!(error instanceof BootImageError)) throw error;
      throw new RefusalError({ code: 'invalid-input', reason: error.message });
    }
  }

  private async refuseOnDisk(infraEnvId: string, mac: string): Promise<void> {
    const owners: HostDocument[] = [];
    for (const host of await this.hosts.documentsOfInfraEnv(infraEnvId))
      if ((await this.macsOf(host)).includes(mac)) owners.push(host);
    const [host, ...others] = owners;
    if (host && others.length > 0) {
      throw new RefusalError({
        code: 'identity-conflict',
        reason: `${owners.length} hosts of the infra-env report the MAC address ${mac}. Delete those that no longer exist.`,
        subject: 'mac',
      });
    }
    if (!host || !isOnDisk(host)) return;
    throw new RefusalError({
      code: 'not-found',
      reason: `The host with MAC address ${mac} is ${host.status} and must boot from its disk.`,
      subject: 'mac',
    });
  }

  private async macsOf({ _inventory_digest: digest }: HostDocument): Promise<readonly string[]> {
    const text = await this.bodies.text(digest);
    if (text === undefined) return [];
    const { interfaces = [] } = JSON.parse(text) as {
      readonly interfaces?: readonly { readonly mac_address?: unknown }[];
    };
    return interfaces.map(({ mac_address: mac }) => String(mac ?? '').toLowerCase());
  }
}

function isOnDisk({ status, progress }: HostDocument): boolean {
  if (status === 'installed') return true;
  return STATUSES_IN_INSTALLATION.includes(status) && STAGES_ON_DISK.includes(progress?.current_stage ?? '');
}
