import { randomUUID } from 'node:crypto';
import type { InstallHost, InstallRequest } from '@muster/service-ignition';

const MASTERS = 3;

const host = (index: number): InstallHost => {
  const role = index < MASTERS ? 'master' : 'worker';
  const octets = [index >> 8, index & 255];
  const address = `10.0.${octets.join('.')}`;
  return {
    hostId: randomUUID(),
    role,
    hostname: `${role}-${index}`,
    pool: role,
    installationDisk: '/dev/disk/by-id/wwn-0x5000c500a1b2c3d4',
    bootMacAddress: `02:00:00:00:${octets.map((octet) => octet.toString(16).padStart(2, '0')).join(':')}`,
    isLegacyBoot: false,
    isPersistentBoot: false,
    nodeAddress: address,
    nodeIpHint: '',
    hasIpv6: false,
    hardware: undefined,
    ignitionOverride: '',
  };
};

/** An installation of that many hosts on bare metal. */
export const sampleInstallRequest = (hostCount: number): InstallRequest => ({
  clusterId: randomUUID(),
  attempt: 1,
  startedAt: new Date().toISOString(),
  settings: {
    name: 'bench',
    baseDnsDomain: 'example.com',
    openshiftVersion: '4.18.3',
    ocpReleaseImage: 'quay.io/openshift-release-dev/ocp-release:4.18.3-x86_64',
    controlPlaneCount: MASTERS,
    platformType: 'baremetal',
    networkType: 'OVNKubernetes',
    clusterNetworks: { items: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }] },
    serviceNetworks: { items: ['172.30.0.0/16'] },
    apiVips: { items: ['10.0.255.1'] },
    ingressVips: { items: ['10.0.255.2'] },
  },
  machineNetworks: ['10.0.0.0/16'],
  ntpServers: [],
  hosts: Array.from({ length: hostCount }, (_, index) => host(index)),
  mirrors: [],
  pullSecret: '{"auths":{"quay.io":{"auth":"YmVuY2g6YmVuY2g="}}}',
  additionalTrustBundle: '',
  operatorManifests: { files: [], later: [] },
  manifests: [],
  serviceCaPem: '',
  invoker: 'assisted-installer',
  bootstrapHostId: '',
});
