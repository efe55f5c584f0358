import { isAtLeast } from '@muster/feature-support';
import type { InstallConfigHost, InstallConfigInput } from './install-config-input';

const PROVISIONING_DISABLED_SINCE = '4.7';
const DUAL_STACK_VIPS_SINCE = '4.12';
const VSPHERE_FAILURE_DOMAINS_SINCE = '4.13';
const ROLE_ORDER = ['master', 'arbiter', 'worker'];

type Section = { readonly [field: string]: unknown };

/** Returns the section `platform`. */
export function platformSection(input: InstallConfigInput): Section {
  const build = PLATFORMS.get(effectivePlatform(input)) ?? baremetal;
  return build(input);
}

/** A single node has no VIPs, except on an external platform. */
export function effectivePlatform({ platform, controlPlaneCount }: InstallConfigInput): string {
  if (platform.type === 'external') return 'external';
  if (platform.type === 'none' || controlPlaneCount === 1) return 'none';
  if (platform.isUserManagedNetworking && platform.type === 'baremetal') return 'none';
  return platform.type || 'baremetal';
}

const PLATFORMS: ReadonlyMap<string, (input: InstallConfigInput) => Section> = new Map([
  ['none', () => ({ none: {} })],
  ['external', external],
  ['vsphere', vsphere],
  ['nutanix', nutanix],
]);

/** Contains both fields for each kind of VIP: versions without dual stack have one address in another field. */
function vips({ apiVips, ingressVips, openshiftVersion, platform }: InstallConfigInput): Section {
  if (platform.isUserManagedNetworking && platform.type !== 'baremetal') return {};
  const single = isAtLeast(openshiftVersion, DUAL_STACK_VIPS_SINCE)
    ? {}
    : { apiVIP: apiVips[0] ?? '', ingressVIP: ingressVips[0] ?? '' };
  return { apiVIPs: [...apiVips], ingressVIPs: [...ingressVips], ...single };
}

function baremetal(input: InstallConfigInput): Section {
  const isDisabled = input.openshiftVersion === '' || isAtLeast(input.openshiftVersion, PROVISIONING_DISABLED_SINCE);
  return {
    baremetal: {
      ...vips(input),
      provisioningNetwork: isDisabled ? 'Disabled' : 'Unmanaged',
      hosts: [...input.hosts].sort(byRoleAndName).map(baremetalHost),
      ...(input.ntpServers.length > 0 && { additionalNTPServers: [...input.ntpServers] }),
      ...loadBalancer(input),
    },
  };
}

/** Without it, the cluster would run a load balancer of its own at the VIPs, which belong to the one of the user. */
const loadBalancer = ({ platform }: InstallConfigInput): Section =>
  platform.isUserManagedLoadBalancer ? { loadBalancer: { type: 'UserManaged' } } : {};

/** The cluster does not control the power of the machines, but the fields are required. */
const baremetalHost = ({ hostname, role, bootMacAddress, isLegacyBoot }: InstallConfigHost): Section => ({
  name: hostname,
  role,
  bootMACAddress: bootMacAddress,
  bootMode: isLegacyBoot ? 'legacy' : 'UEFI',
  bmc: { address: '', username: '', password: '', disableCertificateVerification: false },
  hardwareProfile: '',
});

function byRoleAndName(first: InstallConfigHost, second: InstallConfigHost): number {
  const roles = ROLE_ORDER.indexOf(first.role) - ROLE_ORDER.indexOf(second.role);
  if (roles !== 0) return roles;
  return first.hostname < second.hostname ? -1 : 1;
}

function external({ platform }: InstallConfigInput): Section {
  return {
    external: {
      PlatformName: platform.externalName,
      ...(platform.cloudControllerManager && { CloudControllerManager: platform.cloudControllerManager }),
    },
  };
}

/** The credentials of vSphere are not known at this point. The running cluster receives them later. */
const VSPHERE_PLACES = {
  server: 'vcenterplaceholder',
  datacenter: 'datacenterplaceholder',
  network: 'networkplaceholder',
  cluster: '/datacenterplaceholder/host/clusterplaceholder',
  datastore: '/datacenterplaceholder/datastore/datastoreplaceholder',
  folder: '/datacenterplaceholder/vm/folderplaceholder',
};
const VSPHERE_ACCESS = { username: 'usernameplaceholder', password: 'passwordplaceholder' };

function vsphere(input: InstallConfigInput): Section {
  const { server, datacenter, network, cluster, datastore, folder } = VSPHERE_PLACES;
  const { username, password } = VSPHERE_ACCESS;
  if (!isAtLeast(input.openshiftVersion, VSPHERE_FAILURE_DOMAINS_SINCE)) {
    const flat = { vCenter: server, username, password, datacenter, defaultDatastore: 'defaultdatastoreplaceholder' };
    return { vsphere: { ...flat, folder, network, cluster: 'clusterplaceholder', ...vips(input) } };
  }
  return {
    vsphere: {
      vcenters: [{ server, user: username, password, datacenters: [datacenter] }],
      failureDomains: [
        {
          name: 'assisted-generated-failure-domain',
          region: 'assisted-generated-region',
          zone: 'assisted-generated-zone',
          server,
          topology: { datacenter, computeCluster: cluster, datastore, folder, networks: [network] },
        },
      ],
      ...vips(input),
      ...loadBalancer(input),
    },
  };
}

const NUTANIX_PORT = 9_440;

function nutanix(input: InstallConfigInput): Section {
  const endpoint = (address: string): Section => ({ address, port: NUTANIX_PORT });
  return {
    nutanix: {
      prismCentral: { endpoint: endpoint('prismcentralplaceholder'), ...VSPHERE_ACCESS },
      prismElements: [
        {
          endpoint: endpoint('prismelementplaceholder'),
          uuid: '00000000-0000-0000-0000-000000000000',
          name: 'prismelementplaceholder',
        },
      ],
      subnetUUIDs: ['00000000-0000-0000-0000-000000000000'],
      ...vips(input),
    },
  };
}
