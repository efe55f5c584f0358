import { isObject, type Members } from '@muster/schema';
import { isUuid } from '../machine/machine.port';
import type { StepType, StepWork } from './step-work';

/** The arguments of a step do not match its type. */
export class BadStepArgs extends Error {
  constructor(where: string, demand: string) {
    super(`The argument ${where} must be ${demand}.`);
    this.name = 'BadStepArgs';
  }
}

/** The only argument of a step. */
export function soleArg(args: readonly string[]): string {
  const [only] = args;
  if (args.length !== 1 || only === undefined) throw new BadStepArgs('list', `one string, but has ${args.length}`);
  return only;
}

export function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadStepArgs(where, 'JSON text');
  }
}

export function toRecord(value: unknown, where: string): Members {
  if (!isObject(value)) throw new BadStepArgs(where, 'an object');
  return value;
}

/** An absent or null list is empty, because the service omits empty lists. */
export function toList(value: unknown, where: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new BadStepArgs(where, 'a list');
  return value;
}

export function toText(value: unknown, where: string): string {
  if (typeof value !== 'string' || value === '') throw new BadStepArgs(where, 'a text that is not empty');
  return value;
}

export function toOptionalText(value: unknown, where: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new BadStepArgs(where, 'a text');
  return value;
}

export function toNumber(value: unknown, where: string): number {
  const number = typeof value === 'string' ? Number.parseFloat(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw new BadStepArgs(where, 'a number');
  return number;
}

export function toOneOf<Allowed extends string>(value: unknown, allowed: readonly Allowed[], where: string): Allowed {
  const found = allowed.find((one) => one === value);
  if (!found) throw new BadStepArgs(where, `one of ${allowed.join(', ')}`);
  return found;
}

type ArgsParsers = { readonly [Type in StepType]: (args: readonly string[]) => StepWork[Type]['order'] };

const soleRecord = (args: readonly string[]) => toRecord(parseJson(soleArg(args), '[0]'), '[0]');
const soleList = (args: readonly string[]) => toList(parseJson(soleArg(args), '[0]'), '[0]');

const ROLES = ['bootstrap', 'master', 'worker', 'arbiter'] as const;
/** Time limit of an image check in seconds when the service sends none. */
const IMAGE_TIMEOUT_SECONDS = 960;

/** Parsers of step arguments. Each throws BadStepArgs with the invalid place. */
export const parseStepArgs: ArgsParsers = {
  inventory: (args) => {
    // The flags --output-max-size and --disk-min-size are accepted and ignored. This agent does not shorten its
    // inventory.
    const [hostId = '', ...flags] = args;
    const unknown = flags.find((flag) => !/^--(output-max-size|disk-min-size)=\d+$/.test(flag));
    if (unknown !== undefined) throw new BadStepArgs(unknown, 'a flag that the inventory step has');
    if (!isUuid(hostId)) throw new BadStepArgs('[0]', 'a host id (UUID)');
    return { hostId };
  },
  'connectivity-check': (args) =>
    soleList(args).map((item, index) => {
      const host = toRecord(item, `[0][${index}]`);
      const nics = toList(host['nics'], `[0][${index}].nics`).map((nic, n) => {
        const where = `[0][${index}].nics[${n}]`;
        const { name, mac, ip_addresses } = toRecord(nic, where);
        return {
          name: toOptionalText(name, `${where}.name`),
          mac: toOptionalText(mac, `${where}.mac`),
          addresses: toList(ip_addresses, `${where}.ip_addresses`).map((address) =>
            toText(address, `${where}.ip_addresses`).replace(/\/.*$/, ''),
          ),
        };
      });
      return { hostId: toText(host['host_id'], `[0][${index}].host_id`), nics };
    }),
  'free-network-addresses': (args) => soleList(args).map((network, index) => toText(network, `[0][${index}]`)),
  'dhcp-lease-allocate': (args) => {
    const order = soleRecord(args);
    return {
      interface: toText(order['interface'], 'interface'),
      apiVipMac: toText(order['api_vip_mac'], 'api_vip_mac'),
      ingressVipMac: toText(order['ingress_vip_mac'], 'ingress_vip_mac'),
      apiVipLease: toOptionalText(order['api_vip_lease'], 'api_vip_lease'),
      ingressVipLease: toOptionalText(order['ingress_vip_lease'], 'ingress_vip_lease'),
    };
  },
  'ntp-synchronizer': (args) => ({
    sources: toOptionalText(soleRecord(args)['ntp_source'], 'ntp_source')
      .split(',')
      .map((source) => source.trim())
      .filter((source) => source !== ''),
  }),
  'domain-resolution': (args) => ({
    domains: toList(soleRecord(args)['domains'], 'domains').map((domain, index) =>
      toText(toRecord(domain, `domains[${index}]`)['domain_name'], `domains[${index}].domain_name`),
    ),
  }),
  'verify-vips': (args) =>
    soleList(args).map((item, index) => {
      const { vip, vip_type } = toRecord(item, `[0][${index}]`);
      return { vip: toText(vip, `[0][${index}].vip`), vip_type: toText(vip_type, `[0][${index}].vip_type`) };
    }),
  'api-vip-connectivity-check': (args) => {
    const order = soleRecord(args);
    return {
      url: toText(order['url'], 'url'),
      caCertificatePem: Buffer.from(toOptionalText(order['ca_certificate'], 'ca_certificate'), 'base64').toString(),
      token: toOptionalText(order['ignition_endpoint_token'], 'ignition_endpoint_token'),
      requestHeaders: toList(order['request_headers'], 'request_headers').map((header, index) => {
        const { key, value } = toRecord(header, `request_headers[${index}]`);
        return { key: toText(key, `request_headers[${index}].key`), value: toOptionalText(value, 'value') };
      }),
    };
  },
  'tang-connectivity-check': (args) => {
    const servers = toText(soleRecord(args)['tang_servers'], 'tang_servers');
    return {
      servers: toList(parseJson(servers, 'tang_servers'), 'tang_servers').map((server, index) => {
        const { url, thumbprint } = toRecord(server, `tang_servers[${index}]`);
        return { url: toText(url, `tang_servers[${index}].url`), thumbprint: toOptionalText(thumbprint, 'thumbprint') };
      }),
    };
  },
  'installation-disk-speed-check': (args) => {
    if (args.length !== 2) throw new BadStepArgs('list', `a disk and a time limit, but has ${args.length}`);
    const disk = toRecord(parseJson(args[0] ?? '', '[0]'), '[0]');
    return { path: toText(disk['path'], '[0].path'), timeoutSeconds: toNumber(args[1], '[1]') };
  },
  'container-image-availability': (args) => {
    const order = soleRecord(args);
    return {
      images: toList(order['images'], 'images').map((image, index) => toText(image, `images[${index}]`)),
      timeoutSeconds: toNumber(order['timeout'] ?? IMAGE_TIMEOUT_SECONDS, 'timeout'),
    };
  },
  install: (args) => {
    const order = soleRecord(args);
    const required = (name: string): string => toText(order[name], name);
    const optional = (name: string): string => toOptionalText(order[name], name);
    const proxy = order['proxy'] === undefined || order['proxy'] === null ? {} : toRecord(order['proxy'], 'proxy');
    const installerArgs = optional('installer_args');
    return {
      role: toOneOf(order['role'], ROLES, 'role'),
      clusterId: required('cluster_id'),
      infraEnvId: required('infra_env_id'),
      hostId: required('host_id'),
      bootDevice: required('boot_device'),
      controllerImage: required('controller_image'),
      installerImage: required('installer_image'),
      controlPlaneCount: toNumber(order['control_plane_count'] ?? 0, 'control_plane_count'),
      checksClusterVersion: order['check_cvo'] === true,
      openshiftVersion: optional('openshift_version'),
      mcoImage: optional('mco_image'),
      mustGatherImage: optional('must_gather_image'),
      coreosImage: optional('coreos_image'),
      skipsDiskCleanup: order['skip_installation_disk_cleanup'] === true,
      skipsMcoReboot: order['enable_skip_mco_reboot'] === true,
      notifiesReboots: order['notify_num_reboots'] === true,
      disksToFormat: toList(order['disks_to_format'], 'disks_to_format').map((disk) => toText(disk, 'disks_to_format')),
      installerArgs:
        installerArgs === ''
          ? []
          : toList(parseJson(installerArgs, 'installer_args'), 'installer_args').map((arg) =>
              toText(arg, 'installer_args'),
            ),
      httpProxy: toOptionalText(proxy['http_proxy'], 'proxy.http_proxy'),
      httpsProxy: toOptionalText(proxy['https_proxy'], 'proxy.https_proxy'),
      noProxy: toOptionalText(proxy['no_proxy'], 'proxy.no_proxy'),
      serviceIps: toList(order['service_ips'], 'service_ips').map((ip) => toText(ip, 'service_ips')),
    };
  },
  'stop-installation': () => undefined,
  'logs-gather': (args) => {
    const order = soleRecord(args);
    return {
      clusterId: toText(order['cluster_id'], 'cluster_id'),
      hostId: toText(order['host_id'], 'host_id'),
      infraEnvId: toText(order['infra_env_id'], 'infra_env_id'),
      isBootstrap: order['bootstrap'] === true,
    };
  },
  'upgrade-agent': (args) => ({ image: toText(soleRecord(args)['agent_image'], 'agent_image') }),
  'download-boot-artifacts': (args) => {
    const order = soleRecord(args);
    return {
      kernelUrl: toText(order['kernel_url'], 'kernel_url'),
      initrdUrl: toText(order['initrd_url'], 'initrd_url'),
      rootfsUrl: toText(order['rootfs_url'], 'rootfs_url'),
      hostFsMountDir: toText(order['host_fs_mount_dir'], 'host_fs_mount_dir'),
    };
  },
  'reboot-for-reclaim': (args) => ({
    hostFsMountDir: toText(soleRecord(args)['host_fs_mount_dir'], 'host_fs_mount_dir'),
  }),
};
