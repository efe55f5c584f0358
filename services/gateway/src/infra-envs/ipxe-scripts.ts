import type { HostDocument, InfraEnvDocument } from '@muster/assisted-api';
import { BootImageError, ipxeBootScript, ipxeChainScript } from '@muster/boot-image';
import { hostBootsFromDisk, readKernelArguments } from '@muster/domain';
import { BoundedMap } from '@muster/event-sourcing';
import { RefusalError } from '@muster/problems';
import { listAt, parseJson, textAt } from '@muster/schema';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ReportedBodies } from '../views/host-texts';
import { HostViews } from '../views/host-views';
import { ImageUrls } from '../views/infra-env-views';
import { RenderTurns } from '../views/render-turns';

export interface IpxeScriptRequest {
  /** `discovery-image-always` (also when empty) or `boot-order-control`. */
  readonly type: string;
  /** MAC address of the machine; empty when the request has none. */
  readonly mac: string;
}

export const IPXE_SCRIPT = 'ipxe-script';
const BOOT_ORDER_CONTROL = 'boot-order-control';
/**
 * Maximum number of MAC addresses and inventories in memory. Every machine of an infra-env asks for a script when it boots, and each script
 * needs the addresses of all of them.
 */
const KEPT_MACS_MAX = 200_000;

/** Creates iPXE scripts for hosts that boot over the network. */
@Injectable()
export class IpxeScripts {
  /** MAC addresses in lower case by the digest of the inventory. */
  private readonly macs = new BoundedMap<string, readonly string[]>(KEPT_MACS_MAX);

  constructor(
    private readonly urls: ImageUrls,
    private readonly hosts: HostViews,
    private readonly bodies: ReportedBodies,
    private readonly turns: RenderTurns,
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
      if (mac !== '') await this.refuseOnDisk(infraEnv.id, mac.toLowerCase());
      const read = readKernelArguments(infraEnv.kernel_arguments ?? '');
      if ('refusal' in read) throw new RefusalError(read.refusal);
      return ipxeBootScript({
        ...(await this.urls.firmwareBoot(infraEnv, request)),
        appendKargs: read.kernelArguments,
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
    if (!host || !hostBootsFromDisk(host.status, host.progress?.current_stage ?? '')) return;
    throw new RefusalError({
      code: 'not-found',
      reason: `The host with MAC address ${mac} is ${host.status} and must boot from its disk.`,
      subject: 'mac',
    });
  }

  private async macsOf({ _inventory_digest: digest }: HostDocument): Promise<readonly string[]> {
    if (!digest) return [];
    const known = this.macs.get(digest);
    if (known) return known;
    const text = await this.bodies.text(digest);
    if (text === undefined) return [];
    return this.turns.run(() => {
      const nics = listAt(parseJson(text), 'interfaces');
      const macs = nics.map((nic) => (textAt(nic, 'mac_address') ?? '').toLowerCase());
      this.macs.set(digest, macs, macs.length + 1);
      return macs;
    });
  }
}
