import {
  composeInstallConfig,
  mergeIgnition,
  parseIgnitionOverride,
  renderBootstrapIgnition,
  renderPointerIgnition,
  toIgnitionJson,
} from '@muster/ignition-config';
import { hostArtifactName } from '../artifacts/artifact-names';
import { customManifestsJson } from '../artifacts/operator-files';
import { type ClusterPki, createClusterPki } from './cluster-pki';
import { installConfigOf } from './install-config-input';
import { kubeadminPassword } from './kubeadmin-password';
import { renderKubeconfig } from './kubeconfig';
import { infraIdOf, openshiftClusterIdOf } from './identities';
import {
  ArtifactsRefused,
  type InstallHost,
  type InstallOrder,
  type MadeArtifact,
  type Toolchain,
} from './toolchain.port';

const PKI = 'cluster-pki';
const PASSWORD = 'kubeadmin-password';

/** Makes the artifacts itself: certificates, credentials, pointers and the documents around them. */
export const builtinToolchain: Toolchain = {
  name: 'builtin',
  keptSecrets: [PKI, PASSWORD],
  async make(order, keep) {
    const { name = '', baseDnsDomain = '', apiVips } = order.settings;
    const domain = `${name}.${baseDnsDomain}`;
    const addresses = apiVips?.items ?? [];
    const made = await keep(PKI, async () =>
      Buffer.from(JSON.stringify(await createClusterPki({ domain, addresses, startedAt: order.startedAt }))),
    );
    const pki = JSON.parse(made.toString()) as ClusterPki;
    const password = await keep(PASSWORD, async () => Buffer.from(kubeadminPassword()));
    const openshiftClusterId = openshiftClusterIdOf(order);
    const kubeconfig = (host: string): string => renderKubeconfig({ clusterName: name, host, pki });
    const roles = order.hosts.some(({ role }) => role === 'arbiter') ? [...ROLES, 'arbiter'] : ROLES;
    return {
      openshiftClusterId,
      artifacts: [
        secret('kubeconfig-noingress', kubeconfig(`api.${domain}`)),
        secret('kubeadmin-password', password.toString()),
        secret('bootstrap.ign', bootstrap(order, openshiftClusterId, kubeconfig(`api-int.${domain}`))),
        secret('install-config.yaml', installConfig(order)),
        plain('metadata.json', metadata(order, openshiftClusterId)),
        // A controller asks for it whenever it has operators to wait for.
        ...(order.operatorManifests.files.length > 0
          ? [plain('custom_manifests.json', customManifestsJson(order.operatorManifests))]
          : []),
        ...roles.map((role) =>
          plain(`${role}.ign`, toIgnitionJson(renderPointerIgnition({ ...pointer(domain, pki), pool: role }))),
        ),
        ...order.hosts.map((host) => hostIgnition(order, host, domain, pki)),
      ],
    };
  },
};

const ROLES = ['master', 'worker'];

const secret = (name: string, text: string): MadeArtifact => ({ name, content: Buffer.from(text), isSecret: true });
const plain = (name: string, text: string): MadeArtifact => ({ name, content: Buffer.from(text), isSecret: false });

const pointer = (domain: string, pki: ClusterPki) => ({
  apiHost: `api-int.${domain}`,
  rootCaPem: pki.rootCa.certificatePem,
});

function installConfig(order: InstallOrder): string {
  const composed = composeInstallConfig(installConfigOf(order));
  if (composed.kind === 'refused') throw new ArtifactsRefused(composed.reason);
  if (composed.problems.length > 0) throw new ArtifactsRefused(composed.problems.join(' '));
  return JSON.stringify(composed.config);
}

function bootstrap({ settings, pullSecret }: InstallOrder, openshiftClusterId: string, kubeconfig: string): string {
  return toIgnitionJson(
    renderBootstrapIgnition({
      openshiftClusterId,
      releaseImage: settings.ocpReleaseImage ?? '',
      pullSecret,
      kubeconfig,
      sshAuthorizedKey: settings.sshPublicKey ?? '',
      isSingleNode: settings.controlPlaneCount === 1,
    }),
  );
}

/** A person's override may hold anything, secrets too: then the whole document is one. */
function hostIgnition(order: InstallOrder, host: InstallHost, domain: string, pki: ClusterPki): MadeArtifact {
  const { hostname, pool, role, hostId, ignitionOverride } = host;
  const config = renderPointerIgnition({ ...pointer(domain, pki), pool, hostname, nodeIpHint: nodeIpHint(order) });
  const name = hostArtifactName(role, hostId);
  if (!ignitionOverride) return plain(name, toIgnitionJson(config));
  const override = parseIgnitionOverride(ignitionOverride, `the ignition override of host ${hostname}`);
  if (override.kind === 'refused') throw new ArtifactsRefused(override.refusal.reason);
  return secret(name, toIgnitionJson(mergeIgnition(config, override.config)));
}

/** Nodes that nobody gives an address by VIP choose theirs in the first machine network. */
function nodeIpHint({ settings }: InstallOrder): string {
  const choosesItself = settings.controlPlaneCount === 1 || settings.userManagedNetworking === true;
  return choosesItself ? (settings.machineNetworks?.items[0]?.split('/')[0] ?? '') : '';
}

function metadata(order: InstallOrder, clusterID: string): string {
  const platform = order.settings.platformType === 'none' ? 'none' : 'baremetal';
  return JSON.stringify({
    clusterName: order.settings.name,
    clusterID,
    infraID: infraIdOf(order),
    [platform]: platform === 'none' ? {} : { libvirtURI: '', bootstrapProvisioningIP: '', provisioningHostIP: '' },
  });
}
