import type { KeyObject } from 'node:crypto';
import type { ExecutableSource } from '@muster/ignition-config';
import {
  readFileSetting,
  type AuthType,
  type Environment,
  readAuthType,
  readCertificates,
  readComponentImages,
  readEcKey,
  readHostBinaries,
  readImageServiceBaseUrl,
  readOperatorSettings,
  readReleaseToolchains,
  readServiceBaseUrl,
  readSettings,
  type ReleaseToolchains,
  type SettingsReader,
} from '@muster/nest-kit';
import type { OperatorSettings } from '@muster/operators';
import { RED_HAT_IT_ROOT_CA } from './discovery/red-hat-it-root-ca';
import type { OwnManifestsSettings } from './manifests/manifests';
import { readRegistries, type ServiceRegistries } from './service-registries';
import {
  type OpenshiftInstallSettings,
  readOpenshiftInstallSettings,
} from './toolchain/openshift-install/installer-binaries';

/** The settings of this service. */
export interface IgnitionServiceConfig {
  /** The API URL that hosts get. */
  readonly serviceBaseUrl: string;
  readonly skipsCertificateVerification: boolean;
  /** PEM of the authority that signed the service's certificate. */
  readonly serviceCaPem: string | undefined;
  /** PEM of the certificate authority of Red Hat's own network; empty: hosts do not need it. */
  readonly redHatCaPem: string;
  readonly agentImage: string;
  /** Absent: hosts copy the agent from its container image. */
  readonly agentExecutable: ExecutableSource | undefined;
  readonly ownManifests: OwnManifestsSettings;
  readonly registries: ServiceRegistries;
  /** Image with the packages that OKD adds to its live system. Without it, hosts get the configuration of OpenShift. */
  readonly okdPackagesImage: string | undefined;
  readonly agentStartTimeoutMs: number;
  readonly authType: AuthType;
  /** Lifetime of the tokens of agents. */
  readonly agentTokenLifetimeMs: number;
  /** Signs the tokens of infra-envs. */
  readonly ecPrivateKey: KeyObject | undefined;
  /** The URL at which agents reach the bus. Absent: agents use HTTP. */
  readonly agentNatsUrl: string | undefined;
  /** The certificate authority of the bus, PEM. */
  readonly agentNatsCaPem: string | undefined;
  /** Selects the toolchain of each release. */
  readonly toolchains: ReleaseToolchains;
  readonly openshiftInstall: OpenshiftInstallSettings;
  /** Name of the installing program that new clusters report. */
  readonly installInvoker: string;
  /** The settings of OLM operators, by variable. */
  readonly operatorSettings: OperatorSettings;
}

export const CONFIG = Symbol('IgnitionServiceConfig');

/** @throws SettingsError with every setting that is not valid */
export const readConfig = (environment: Environment): IgnitionServiceConfig =>
  readSettings(environment, readIgnitionConfig);

function readIgnitionConfig(settings: SettingsReader): IgnitionServiceConfig {
  const registries = readRegistries(settings);
  return {
    serviceBaseUrl: readServiceBaseUrl(settings),
    skipsCertificateVerification: settings.get('SKIP_CERT_VERIFICATION'),
    serviceCaPem: readCertificates(settings, 'SERVICE_CA_CERT_PATH'),
    redHatCaPem: settings.get('INSTALL_RH_CA') ? (readCertificates(settings, 'RH_CA_PATH') ?? RED_HAT_IT_ROOT_CA) : '',
    agentImage: readComponentImages(settings).agent,
    agentExecutable: readAgentExecutable(settings),
    ownManifests: {
      hasSingleNodeNames: settings.get('ENABLE_SINGLE_NODE_DNSMASQ'),
      diskEncryptionCipher: settings.get('DISK_ENCRYPTION_CIPHER'),
    },
    registries,
    okdPackagesImage: settings.get('ENABLE_OKD_SUPPORT') ? settings.get('OKD_RPMS_IMAGE') : undefined,
    agentStartTimeoutMs: settings.get('AGENT_TIMEOUT_START'),
    authType: readAuthType(settings),
    agentTokenLifetimeMs: settings.get('LOCAL_TOKEN_LIFETIME'),
    ecPrivateKey: readEcKey(settings, 'EC_PRIVATE_KEY_PEM', ['local']),
    agentNatsUrl: settings.get('AGENT_NATS_URL'),
    agentNatsCaPem: readFileSetting(settings, 'NATS_CA_FILE'),
    toolchains: readReleaseToolchains(settings),
    openshiftInstall: readOpenshiftInstallSettings(settings, registries),
    installInvoker: settings.get('INSTALL_INVOKER'),
    operatorSettings: readOperatorSettings(settings),
  };
}

/** Hosts download the executable from the image service, unless AGENT_DOCKER_IMAGE names an image. */
function readAgentExecutable(settings: SettingsReader): ExecutableSource | undefined {
  const executable = readHostBinaries(settings);
  if (!executable || settings.isSet('AGENT_DOCKER_IMAGE')) return undefined;
  return {
    baseUrl: `${readImageServiceBaseUrl(settings)}/host-binaries`,
    sha256: Object.fromEntries(executable.binaries.map(({ architecture, sha256 }) => [architecture, sha256])),
  };
}
