import { RefusalError } from '@muster/problems';
import { stringifyForKubernetes } from '../documents/read-yaml';
import { type HostNetworkConfig, planHost } from '../static-network/host-networks';
import { describeNetworkProblem } from '../static-network/nmstate';
import { splitList } from './discovery-input';

export interface UnconfiguredInput {
  readonly name: string;
  readonly cpuArchitecture: string;
  /** JSON text. Secret. */
  readonly pullSecret: string;
  readonly sshAuthorizedKey: string;
  readonly proxy: { readonly httpProxy: string; readonly httpsProxy: string; readonly noProxy: string };
  readonly additionalNtpSources: readonly string[];
  /** PEM. */
  readonly additionalTrustBundle?: string;
  /** Address of the rendezvous host. Empty: the user chooses it at the console. */
  readonly rendezvousIp: string;
  readonly staticNetworks: readonly HostNetworkConfig[];
}

export interface UnconfiguredFile {
  /** Path below the input folder of the installer. */
  readonly path: string;
  readonly content: string;
}

const API_VERSION = 'agent-install.openshift.io/v1beta1';
const NAMESPACE = 'cluster0';
const LABEL = { 'muster/static-network': 'configured' };
/** The registry on the disk of an appliance. */
const OWN_REGISTRY = 'registry.appliance.openshift.com:5000/openshift';
const MIRRORS: readonly (readonly [string, string])[] = [
  ['quay.io/openshift-release-dev/ocp-release', `${OWN_REGISTRY}/release-images`],
  ['quay.io/openshift-release-dev/ocp-v4.0-art-dev', `${OWN_REGISTRY}/release`],
];

/**
 * Returns the input of `openshift-install agent create unconfigured-ignition`, for machines that are installed without
 * a service. Contains secrets.
 * @throws RefusalError `invalid-input` when a static network cannot be used
 */
export function unconfiguredFiles(input: UnconfiguredInput): readonly UnconfiguredFile[] {
  const networks = input.staticNetworks.map(hostNetwork);
  return [
    { path: 'cluster-manifests/infraenv.yaml', content: stringifyForKubernetes(infraEnv(input, networks.length > 0)) },
    { path: 'cluster-manifests/pull-secret.yaml', content: stringifyForKubernetes(pullSecret(input)) },
    ...(networks.length > 0
      ? [
          {
            path: 'cluster-manifests/nmstateconfig.yaml',
            content: networks.map((one) => `---\n${stringifyForKubernetes(one)}`).join(''),
          },
        ]
      : []),
    { path: 'mirror/registries.conf', content: registries() },
    ...(input.rendezvousIp ? [{ path: 'agent-config.yaml', content: stringifyForKubernetes(agentConfig(input)) }] : []),
  ];
}

const infraEnv = (input: UnconfiguredInput, hasNetworks: boolean): object => ({
  apiVersion: API_VERSION,
  kind: 'InfraEnv',
  metadata: { name: input.name, namespace: NAMESPACE },
  spec: {
    cpuArchitecture: input.cpuArchitecture,
    pullSecretRef: { name: 'pull-secret' },
    ...(input.sshAuthorizedKey && { sshAuthorizedKey: input.sshAuthorizedKey }),
    ...(input.additionalNtpSources.length > 0 && { additionalNTPSources: [...input.additionalNtpSources] }),
    ...(input.additionalTrustBundle && { additionalTrustBundle: input.additionalTrustBundle }),
    ...((input.proxy.httpProxy || input.proxy.httpsProxy) && {
      proxy: { ...input.proxy, noProxy: splitList(input.proxy.noProxy).join(',') },
    }),
    ...(hasNetworks && { nmStateConfigLabelSelector: { matchLabels: LABEL } }),
  },
});

const pullSecret = ({ pullSecret: text }: UnconfiguredInput): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'kubernetes.io/dockerconfigjson',
  metadata: { name: 'pull-secret', namespace: NAMESPACE },
  stringData: { '.dockerconfigjson': text },
});

/** The installer reads the network document as an object, and requires the MAC address of an interface. */
function hostNetwork(config: HostNetworkConfig, index: number): object {
  const { network, problems } = planHost(config, index, 'nmpolicy');
  const [problem] = problems;
  if (problem)
    throw new RefusalError({
      code: 'invalid-input',
      reason: describeNetworkProblem(problem),
      subject: 'static_network_config',
    });
  return {
    apiVersion: API_VERSION,
    kind: 'NMStateConfig',
    metadata: { name: `host-${index}`, namespace: NAMESPACE, labels: LABEL },
    spec: {
      config: network?.document,
      interfaces: network?.mapping.map(({ mac, name }) => ({ name, macAddress: mac })),
    },
  };
}

const agentConfig = ({ name, rendezvousIp }: UnconfiguredInput): object => ({
  apiVersion: 'v1beta1',
  kind: 'AgentConfig',
  metadata: { name, namespace: NAMESPACE },
  rendezvousIP: rendezvousIp,
});

const registries = (): string =>
  MIRRORS.map(
    ([location, mirror]) =>
      `[[registry]]\n  prefix = ""\n  location = "${location}"\n\n  [[registry.mirror]]\n    location = "${mirror}"\n`,
  ).join('\n');
