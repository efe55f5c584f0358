import { createJsonParser, enumOf, holds } from '@muster/schema';
import { type Static, type TArray, type TSchema, Type } from '@sinclair/typebox';
import { isUuid } from '../machine/machine.port';
import type { StepType, StepWork } from './step-work';

/** The arguments of a step do not match its type. The message names the place and the reason. */
export class BadStepArgs extends Error {
  constructor(place: string, reason: string) {
    super(`The argument ${place} ${reason}.`);
    this.name = 'BadStepArgs';
  }
}

/** Time limit of an image check in seconds when the service sends none. */
const IMAGE_TIMEOUT_SECONDS = 960;

const Text = Type.String({ minLength: 1 });
const OptionalText = Type.Optional(Type.String());
const Flag = Type.Optional(Type.Boolean());
/** The service sends numbers also as text. */
const AnyNumber = holds(
  (value) => Number.isFinite(typeof value === 'string' ? Number.parseFloat(value) : value),
  'a number',
);

const TextList = Type.Array(Text);
const RemoteHosts = Type.Array(
  Type.Object({
    host_id: Text,
    nics: Type.Optional(
      Type.Array(Type.Object({ name: OptionalText, mac: OptionalText, ip_addresses: Type.Optional(TextList) })),
    ),
  }),
);
const Lease = Type.Object({
  interface: Text,
  api_vip_mac: Text,
  ingress_vip_mac: Text,
  api_vip_lease: OptionalText,
  ingress_vip_lease: OptionalText,
});
const Domains = Type.Object({ domains: Type.Optional(Type.Array(Type.Object({ domain_name: Text }))) });
const ApiVip = Type.Object({
  url: Text,
  ca_certificate: OptionalText,
  ignition_endpoint_token: OptionalText,
  request_headers: Type.Optional(Type.Array(Type.Object({ key: Text, value: OptionalText }))),
});
const TangServers = Type.Array(Type.Object({ url: Text, thumbprint: OptionalText }));
const Images = Type.Object({ images: Type.Optional(TextList), timeout: Type.Optional(AnyNumber) });
const Install = Type.Object({
  role: enumOf(['bootstrap', 'master', 'worker', 'arbiter']),
  cluster_id: Text,
  infra_env_id: Text,
  host_id: Text,
  boot_device: Text,
  controller_image: Text,
  installer_image: Text,
  control_plane_count: Type.Optional(AnyNumber),
  check_cvo: Flag,
  openshift_version: OptionalText,
  mco_image: OptionalText,
  must_gather_image: OptionalText,
  coreos_image: OptionalText,
  skip_installation_disk_cleanup: Flag,
  enable_skip_mco_reboot: Flag,
  notify_num_reboots: Flag,
  disks_to_format: Type.Optional(TextList),
  installer_args: OptionalText,
  proxy: Type.Optional(Type.Object({ http_proxy: OptionalText, https_proxy: OptionalText, no_proxy: OptionalText })),
  service_ips: Type.Optional(TextList),
});
const Logs = Type.Object({
  cluster_id: Text,
  host_id: Text,
  infra_env_id: Text,
  bootstrap: Flag,
  installer_gather: Flag,
  master_ips: Type.Optional(TextList),
});
const BootArtifacts = Type.Object({ kernel_url: Text, initrd_url: Text, rootfs_url: Text, host_fs_mount_dir: Text });

/** Returns a reader of a JSON text that throws BadStepArgs with the path of the first violation. `place`: of the text. */
function reader<Schema extends TSchema>(schema: Schema, place: string): (text: string) => Static<Schema> {
  const parse = createJsonParser(schema, { name: place, nullIsAbsent: true, hidesValues: true });
  return (text) => {
    const parsed = parse(text);
    if (parsed.kind === 'valid') return parsed.value;
    const [{ path, reason }] = parsed.violations;
    throw new BadStepArgs(path, reason);
  };
}

/** Returns a reader of arguments that are one JSON text. A member that is null counts as absent. */
function soleJson<Schema extends TSchema>(schema: Schema): (args: readonly string[]) => Static<Schema> {
  const read = reader(schema, '[0]');
  return (args) => {
    const [only] = args;
    if (args.length !== 1 || only === undefined)
      throw new BadStepArgs('list', `must be one string, but has ${args.length}`);
    return read(only);
  };
}

/** The same for a list, which the service may send as `null` when it is empty. */
function soleList<Item extends TSchema>(schema: TArray<Item>): (args: readonly string[]) => Static<TArray<Item>> {
  const read = soleJson(schema);
  return (args) => (args.length === 1 && args[0] === 'null' ? [] : read(args));
}

const toNumber = (value: unknown): number => (typeof value === 'string' ? Number.parseFloat(value) : Number(value));

type ArgsParsers = { readonly [Type in StepType]: (args: readonly string[]) => StepWork[Type]['order'] };

const readers = {
  remoteHosts: soleList(RemoteHosts),
  networks: soleList(TextList),
  lease: soleJson(Lease),
  timeSources: soleJson(Type.Object({ ntp_source: OptionalText })),
  domains: soleJson(Domains),
  vips: soleList(Type.Array(Type.Object({ vip: Text, vip_type: Text }))),
  apiVip: soleJson(ApiVip),
  tang: soleJson(Type.Object({ tang_servers: Text })),
  tangServers: reader(TangServers, '[0].tang_servers'),
  disk: reader(Type.Object({ path: Text }), '[0]'),
  images: soleJson(Images),
  install: soleJson(Install),
  installerArgs: reader(TextList, '[0].installer_args'),
  logs: soleJson(Logs),
  agentImage: soleJson(Type.Object({ agent_image: Text })),
  bootArtifacts: soleJson(BootArtifacts),
  reclaim: soleJson(Type.Object({ host_fs_mount_dir: Text })),
};

/** Parsers of step arguments. Each throws BadStepArgs with the invalid place. */
export const parseStepArgs: ArgsParsers = {
  inventory: (args) => {
    // The flags --output-max-size and --disk-min-size are accepted and ignored. This agent does not shorten its
    // inventory.
    const [hostId = '', ...flags] = args;
    const unknown = flags.find((flag) => !/^--(output-max-size|disk-min-size)=\d+$/.test(flag));
    if (unknown !== undefined) throw new BadStepArgs(unknown, 'must be a flag that the inventory step has');
    if (!isUuid(hostId)) throw new BadStepArgs('[0]', 'must be a host id (UUID)');
    return { hostId };
  },
  'connectivity-check': (args) =>
    readers.remoteHosts(args).map(({ host_id, nics = [] }) => ({
      hostId: host_id,
      nics: nics.map(({ name = '', mac = '', ip_addresses = [] }) => ({
        name,
        mac,
        addresses: ip_addresses.map((address) => address.replace(/\/.*$/, '')),
      })),
    })),
  'free-network-addresses': (args) => readers.networks(args),
  'dhcp-lease-allocate': (args) => {
    const lease = readers.lease(args);
    return {
      interface: lease.interface,
      apiVipMac: lease.api_vip_mac,
      ingressVipMac: lease.ingress_vip_mac,
      apiVipLease: lease.api_vip_lease ?? '',
      ingressVipLease: lease.ingress_vip_lease ?? '',
    };
  },
  'ntp-synchronizer': (args) => {
    const { ntp_source = '' } = readers.timeSources(args);
    const sources = ntp_source.split(',').map((source) => source.trim());
    return { sources: sources.filter((source) => source !== '') };
  },
  'domain-resolution': (args) => {
    const { domains = [] } = readers.domains(args);
    return { domains: domains.map(({ domain_name }) => domain_name) };
  },
  'verify-vips': (args) => readers.vips(args).map(({ vip, vip_type }) => ({ vip, vip_type })),
  'api-vip-connectivity-check': (args) => {
    const { url, ca_certificate = '', ignition_endpoint_token = '', request_headers = [] } = readers.apiVip(args);
    return {
      url,
      caCertificatePem: Buffer.from(ca_certificate, 'base64').toString(),
      token: ignition_endpoint_token,
      requestHeaders: request_headers.map(({ key, value = '' }) => ({ key, value })),
    };
  },
  'tang-connectivity-check': (args) => {
    const servers = readers.tangServers(readers.tang(args).tang_servers);
    return { servers: servers.map(({ url, thumbprint = '' }) => ({ url, thumbprint })) };
  },
  'installation-disk-speed-check': (args) => {
    const [disk, limit] = args;
    if (disk === undefined || limit === undefined || args.length !== 2)
      throw new BadStepArgs('list', `must be a disk and a time limit, but has ${args.length}`);
    const timeoutSeconds = toNumber(limit);
    if (!Number.isFinite(timeoutSeconds)) throw new BadStepArgs('[1]', 'must be a number');
    return { path: readers.disk(disk).path, timeoutSeconds };
  },
  'container-image-availability': (args) => {
    const { images = [], timeout = IMAGE_TIMEOUT_SECONDS } = readers.images(args);
    return { images, timeoutSeconds: toNumber(timeout) };
  },
  install: (args) => {
    const order = readers.install(args);
    const { installer_args = '', proxy = {} } = order;
    return {
      role: order.role,
      clusterId: order.cluster_id,
      infraEnvId: order.infra_env_id,
      hostId: order.host_id,
      bootDevice: order.boot_device,
      controllerImage: order.controller_image,
      installerImage: order.installer_image,
      controlPlaneCount: toNumber(order.control_plane_count ?? 0),
      checksClusterVersion: order.check_cvo === true,
      openshiftVersion: order.openshift_version ?? '',
      mcoImage: order.mco_image ?? '',
      mustGatherImage: order.must_gather_image ?? '',
      coreosImage: order.coreos_image ?? '',
      skipsDiskCleanup: order.skip_installation_disk_cleanup === true,
      skipsMcoReboot: order.enable_skip_mco_reboot === true,
      notifiesReboots: order.notify_num_reboots === true,
      disksToFormat: order.disks_to_format ?? [],
      installerArgs: installer_args === '' ? [] : readers.installerArgs(installer_args),
      httpProxy: proxy.http_proxy ?? '',
      httpsProxy: proxy.https_proxy ?? '',
      noProxy: proxy.no_proxy ?? '',
      serviceIps: order.service_ips ?? [],
    };
  },
  'stop-installation': () => undefined,
  'logs-gather': (args) => {
    const { cluster_id, host_id, infra_env_id, bootstrap, installer_gather, master_ips } = readers.logs(args);
    return {
      clusterId: cluster_id,
      hostId: host_id,
      infraEnvId: infra_env_id,
      isBootstrap: bootstrap === true,
      includesControlPlane: installer_gather === true,
      controlPlaneAddresses: master_ips ?? [],
    };
  },
  'upgrade-agent': (args) => ({ image: readers.agentImage(args).agent_image }),
  'download-boot-artifacts': (args) => {
    const { kernel_url, initrd_url, rootfs_url, host_fs_mount_dir } = readers.bootArtifacts(args);
    return { kernelUrl: kernel_url, initrdUrl: initrd_url, rootfsUrl: rootfs_url, hostFsMountDir: host_fs_mount_dir };
  },
  'reboot-for-reclaim': (args) => ({ hostFsMountDir: readers.reclaim(args).host_fs_mount_dir }),
};
