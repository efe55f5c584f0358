import type { BootstrapInput } from './render-bootstrap-ignition';
import type { InstallConfigInput } from '../install-config/install-config-input';

export const sampleBootstrap = (changes: Partial<BootstrapInput> = {}): BootstrapInput => ({
  openshiftClusterId: '11111111-2222-4333-8444-555555555555',
  releaseImage: 'quay.io/openshift-release-dev/ocp-release:4.18.1-x86_64',
  pullSecret: '{"auths":{}}',
  kubeconfig: 'KUBECONFIG',
  sshAuthorizedKey: 'ssh-ed25519 AAAA',
  isSingleNode: false,
  ...changes,
});

export const sampleInstallConfig = (changes: Partial<InstallConfigInput> = {}): InstallConfigInput => ({
  name: 'demo',
  baseDomain: 'example.com',
  controlPlaneCount: 3,
  workerCount: 2,
  arbiterCount: 0,
  cpuArchitecture: 'x86_64',
  hyperthreading: '',
  networkType: 'OVNKubernetes',
  clusterNetworks: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }],
  serviceNetworks: ['172.30.0.0/16'],
  machineNetworks: ['192.0.2.0/24'],
  apiVips: ['192.0.2.100'],
  ingressVips: ['192.0.2.101'],
  openshiftVersion: '4.18.3',
  platform: {
    type: 'baremetal',
    isUserManagedNetworking: false,
    isUserManagedLoadBalancer: false,
    externalName: '',
    cloudControllerManager: '',
  },
  hosts: [],
  ntpServers: [],
  mirrors: [],
  overrides: '',
  proxy: { httpProxy: '', httpsProxy: '', noProxy: '' },
  pullSecret: '{}',
  sshPublicKey: '',
  additionalTrustBundle: '',
  installationDisk: '',
  ...changes,
});
