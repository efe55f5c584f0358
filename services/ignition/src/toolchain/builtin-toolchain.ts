import {
  bareMetalHosts,
  clusterManifests,
  emptyIgnition,
  type IgnitionConfig,
  type InstallConfig,
  type ManifestFile,
  renderBootstrapIgnition,
  renderPointerIgnition,
  toIgnitionJson,
  toInstallConfigText,
} from '@muster/ignition-config';
import { DocumentWorkers } from '@muster/nest-kit';
import { errorMessage, objectAt } from '@muster/schema';
import { hash } from 'bcryptjs';
import { customManifestsJson } from '../artifacts/operator-files';
import { clusterAccess, kubeadminPassword } from './cluster-access';
import { hostConfigs, inTurns, placedManifests, type RoleConfigs, rolesOf } from './host-configs';
import { documentTokenOf, infraIdOf, openshiftClusterIdOf } from './identities';
import { composedInstallConfig } from './install-config-input';
import { type ClusterPki, pkiFiles, readClusterPki } from './pki/cluster-pki';
import { pkiThread } from './pki/pki-thread';
import {
  ArtifactsRefused,
  type InstallRequest,
  type KeepSecret,
  type MadeArtifact,
  type MadeInstallation,
  type Toolchain,
} from './toolchain.port';

const PKI = 'cluster-pki';
const PASSWORD = 'kubeadmin-password';
const PASSWORD_HASH = 'kubeadmin-password-hash';
/** Sufficient for a random password. More rounds would only block the process. */
const BCRYPT_ROUNDS = 6;
/** The process has one, because several clusters may start at the same time. */
const certificates = pkiThread();

/** Values that differ at each creation. */
interface Kept {
  readonly pki: ClusterPki;
  readonly password: string;
  readonly passwordHash: string;
}

/**
 * Creates the artifacts without other programs: certificates, credentials, manifests, and the configs that contain
 * them.
 */
export const builtinToolchain = (documents = DocumentWorkers.create()) =>
  ({
    name: 'builtin',
    keptSecrets: [PKI, PASSWORD, PASSWORD_HASH],
    async make(order: InstallRequest, keep: KeepSecret): Promise<MadeInstallation> {
      // Refusals come before work that takes time.
      const installConfig = composedInstallConfig(order);
      const kept = await keepSecrets(order, keep);
      const pointers = pointersOf(order, kept.pki);
      const { name = '' } = order.settings;
      const access = clusterAccess(name, domainOf(order), kept.pki);
      const manifests = await manifestsOf(order, installConfig, kept, pointers, documents);
      const bootstrap = renderBootstrapIgnition({
        releaseImage: order.settings.ocpReleaseImage ?? '',
        openshiftVersion: order.settings.openshiftVersion ?? '',
        isOkd: /okd|scos/.test(order.settings.openshiftVersion ?? ''),
        isSingleNode: isSingleNode(order),
        pullSecret: order.pullSecret,
        sshAuthorizedKey: order.settings.sshPublicKey ?? '',
        proxy: { httpProxy: '', httpsProxy: '', noProxy: '', ...objectAt(installConfig, 'proxy') },
        additionalTrustBundle: String(installConfig['additionalTrustBundle'] ?? ''),
        tls: pkiFiles(kept.pki),
        auth: access.onBootstrap,
        manifests,
      });
      return {
        openshiftClusterId: openshiftClusterIdOf(order),
        artifacts: [
          secret('kubeconfig-noingress', access.noIngress),
          secret('kubeadmin-password', kept.password),
          secret('bootstrap.ign', toIgnitionJson(bootstrap)),
          secret('install-config.yaml', toInstallConfigText(installConfig)),
          plain('metadata.json', metadata(order)),
          // The controller requests it when it waits for operators.
          ...(order.operatorManifests.files.length > 0
            ? [secret('custom_manifests.json', customManifestsJson(order.operatorManifests))]
            : []),
          ...(await hostConfigs(order, pointers, documents)),
        ],
      };
    },
  }) satisfies Toolchain;

const secret = (name: string, text: string): MadeArtifact => ({ name, content: Buffer.from(text), isSecret: true });
const plain = (name: string, text: string): MadeArtifact => ({ name, content: Buffer.from(text), isSecret: false });
const domainOf = ({ settings: { name = '', baseDnsDomain = '' } }: InstallRequest): string =>
  `${name}.${baseDnsDomain}`;
const isSingleNode = ({ settings }: InstallRequest): boolean => settings.controlPlaneCount === 1;

async function keepSecrets(order: InstallRequest, keep: KeepSecret): Promise<Kept> {
  const { apiVips, serviceNetworks } = order.settings;
  const input = {
    domain: domainOf(order),
    addresses: apiVips?.items ?? [],
    serviceNetworks: serviceNetworks?.items ?? [],
    startedAt: order.startedAt,
  };
  const pki = await keep(PKI, async () => Buffer.from(await certificates.create(input)));
  const password = (await keep(PASSWORD, async () => Buffer.from(kubeadminPassword()))).toString();
  const passwordHash = await keep(PASSWORD_HASH, async () => Buffer.from(await hash(password, BCRYPT_ROUNDS)));
  return { pki: readClusterPki(pki.toString()), password, passwordHash: passwordHash.toString() };
}

/** The config of a single node is complete and downloads nothing. */
function pointersOf(order: InstallRequest, pki: ClusterPki): RoleConfigs {
  const pointer = (pool: string): IgnitionConfig =>
    renderPointerIgnition({
      apiHost: `api-int.${domainOf(order)}`,
      pool,
      rootCaPem: pki.pairs['root-ca'].certificatePem,
    });
  return new Map(rolesOf(order).map((role) => [role, isSingleNode(order) ? emptyIgnition() : pointer(role)]));
}

async function manifestsOf(
  order: InstallRequest,
  installConfig: InstallConfig,
  { pki, passwordHash }: Kept,
  pointers: RoleConfigs,
  documents: DocumentWorkers,
): Promise<readonly ManifestFile[]> {
  const generated = manifestsOrRefusal({
    installConfig,
    openshiftClusterId: openshiftClusterIdOf(order),
    infraId: infraIdOf(order),
    rootCaPem: pki.pairs['root-ca'].certificatePem,
    machineConfigServer: pki.pairs['machine-config-server'],
    kubeadminPasswordHash: passwordHash,
    pointers: new Map([...pointers].map(([role, config]) => [role, toIgnitionJson(config)])),
    invoker: order.invoker,
    version: order.settings.openshiftVersion ?? '',
  });
  const isBareMetal = 'baremetal' in objectAt(installConfig, 'platform');
  const hosts = isBareMetal ? [...order.hosts].sort(byRoleAndName) : [];
  const machines = await inTurns(bareMetalHosts(hosts), (file) => file);
  return placedManifests(documents, [...generated, ...machines], order.manifests, documentTokenOf(order));
}

/** @throws ArtifactsRefused when an override removes what the manifests contain, or gives it another type. */
function manifestsOrRefusal(input: Parameters<typeof clusterManifests>[0]): readonly ManifestFile[] {
  try {
    return clusterManifests(input);
  } catch (error) {
    throw new ArtifactsRefused(
      `${errorMessage(error)} Correct install_config_overrides and start the installation again.`,
    );
  }
}

const ROLE_ORDER = ['master', 'arbiter', 'worker'];
type Named = Pick<InstallRequest['hosts'][number], 'role' | 'hostname'>;
const byRoleAndName = (a: Named, b: Named): number =>
  ROLE_ORDER.indexOf(a.role) - ROLE_ORDER.indexOf(b.role) || (a.hostname < b.hostname ? -1 : 1);

function metadata(order: InstallRequest): string {
  const platform = order.settings.platformType === 'none' ? 'none' : 'baremetal';
  return JSON.stringify({
    clusterName: order.settings.name,
    clusterID: openshiftClusterIdOf(order),
    infraID: infraIdOf(order),
    [platform]: platform === 'none' ? {} : { libvirtURI: '', bootstrapProvisioningIP: '', provisioningHostIP: '' },
  });
}
