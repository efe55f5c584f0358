import { createPrivateKey, type KeyObject } from 'node:crypto';
import {
  type AuthType,
  type Environment,
  readAuthType,
  readComponentImages,
  readOperatorSettings,
  SettingError,
  SettingsReader,
} from '@muster/nest-kit';
import type { OperatorSettings } from '@muster/operators';
import {
  type OpenshiftInstallSettings,
  readOpenshiftInstallSettings,
} from './toolchain/openshift-install/openshift-install-settings';
import type { OwnManifestsSettings } from './manifests/own-manifests';
import { readRegistries, type ServiceRegistries } from './registries/service-registries';

/** What an operator may set for this service; names as the field uses them. */
export interface IgnitionServiceConfig {
  /** Where hosts reach the service. */
  readonly serviceBaseUrl: string;
  readonly skipsCertificateVerification: boolean;
  /** File with the PEM of the authority that signed the service's certificate. */
  readonly serviceCaPath: string | undefined;
  readonly agentImage: string;
  readonly ownManifests: OwnManifestsSettings;
  readonly registries: ServiceRegistries;
  /** Image with the packages that OKD adds to its live system; without it hosts are OpenShift's. */
  readonly okdPackagesImage: string | undefined;
  readonly agentStartTimeoutMs: number;
  readonly authType: AuthType;
  /** How long what agents prove themselves by is good. */
  readonly agentTokenLifetimeMs: number;
  /** Signs the tokens of infra-envs. */
  readonly ecPrivateKey: KeyObject | undefined;
  /** Where agents reach the bus, and the file with the keys that their credentials come from: both, or agents use HTTP only. */
  readonly agentNats: { readonly url: string; readonly trustFile: string } | undefined;
  readonly agentCredentialsLifetimeMs: number;
  /** Who makes the artifacts of installations. */
  readonly toolchain: (typeof TOOLCHAINS)[number];
  readonly openshiftInstall: OpenshiftInstallSettings;
  /** What new clusters call whoever installed them. */
  readonly installInvoker: string;
  /** What was set for single OLM operators. */
  readonly operatorSettings: OperatorSettings;
}

export const CONFIG = Symbol('IgnitionServiceConfig');

const TOOLCHAINS = ['builtin', 'openshift-install'] as const;
const EC_KEY = 'the PEM text of a P-256 private key';
const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 24 * 60 * MINUTE_MS;

/** Throws SettingError on the first setting that cannot be used. */
export function readConfig(environment: Environment): IgnitionServiceConfig {
  const settings = new SettingsReader(environment);
  const authType = readAuthType(settings);
  const ecPrivateKey = readPrivateKey(settings);
  if (authType === 'local' && !ecPrivateKey)
    throw new SettingError('EC_PRIVATE_KEY_PEM', '', `${EC_KEY}, which AUTH_TYPE=local needs`);
  const natsUrl = settings.optionalText('AGENT_NATS_URL');
  const trustFile = settings.optionalText('NATS_TRUST_FILE');
  return {
    serviceBaseUrl: readServiceUrl(settings),
    skipsCertificateVerification: settings.flag('SKIP_CERT_VERIFICATION', false),
    serviceCaPath: settings.optionalText('SERVICE_CA_CERT_PATH'),
    agentImage: readComponentImages(settings).agent,
    ownManifests: {
      hasSingleNodeNames: settings.flag('ENABLE_SINGLE_NODE_DNSMASQ', false),
      diskEncryptionCipher: settings.text('DISK_ENCRYPTION_CIPHER', ''),
    },
    registries: readRegistries(settings),
    okdPackagesImage: settings.flag('ENABLE_OKD_SUPPORT', true) ? settings.optionalText('OKD_RPMS_IMAGE') : undefined,
    agentStartTimeoutMs: settings.durationMs('AGENT_TIMEOUT_START', 10 * MINUTE_MS),
    authType,
    agentTokenLifetimeMs: settings.durationMs('LOCAL_TOKEN_LIFETIME', YEAR_MS),
    ecPrivateKey,
    agentNats: natsUrl && trustFile ? { url: natsUrl, trustFile } : undefined,
    agentCredentialsLifetimeMs: settings.durationMs('AGENT_NATS_CREDENTIALS_LIFETIME', YEAR_MS),
    toolchain: settings.choice('INSTALL_TOOLCHAIN', TOOLCHAINS, 'builtin'),
    openshiftInstall: readOpenshiftInstallSettings(settings, environment),
    installInvoker: settings.text('INSTALL_INVOKER', 'assisted-installer'),
    operatorSettings: readOperatorSettings(settings),
  };
}

/** Goes onto a command line on every host: no blanks, no quotes. */
function readServiceUrl(settings: SettingsReader): string {
  const url = settings.text('SERVICE_BASE_URL', 'http://127.0.0.1:8090');
  if (!/^https?:\/\/[^\s"'\\]+$/.test(url) || !URL.canParse(url))
    throw new SettingError('SERVICE_BASE_URL', url, 'an http or https URL that hosts can reach');
  return url.replace(/\/+$/, '');
}

/** What was given is never repeated in words. */
function readPrivateKey(settings: SettingsReader): KeyObject | undefined {
  const pem = settings.optionalText('EC_PRIVATE_KEY_PEM');
  if (!pem) return undefined;
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  } catch {
    // Said below.
  }
  throw new SettingError('EC_PRIVATE_KEY_PEM', '(not shown)', EC_KEY);
}
