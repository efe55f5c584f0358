import { environmentLine, type IgnitionFile, type IgnitionProxy } from '../config/ignition-config';
import { MODE_READABLE, textFile } from '../config/ignition-file';
import type { HostNetwork, NetworkForm } from '../static-network/host-networks';

/** What the agent reads besides its flags. The image writes it, the agent reads it: both use this file. */
export const AGENT_SETTINGS_PATH = '/etc/muster/agent.json';

/** The executable that hosts download from the service. */
export interface ExecutableSource {
  /** Without the architecture: `http://host:port/host-binaries`. */
  readonly baseUrl: string;
  /** Digest (hexadecimal) of the file of each architecture. */
  readonly sha256: { readonly [architecture: string]: string };
}

/** Muster's own endpoint for its own agents. */
export interface NatsAccess {
  readonly url: string;
  /** Text of a credentials file; a secret. Absent: the server asks for none. */
  readonly credentials?: string;
  readonly inboxPrefix?: string;
  /** The certificate authority of the bus, PEM. With it the agent uses TLS only. */
  readonly caPem?: string;
}

export interface AgentFile {
  readonly nats?: NatsAccess;
  readonly executable?: ExecutableSource;
}

export const toAgentFileText = (file: AgentFile): string => `${JSON.stringify(file)}\n`;

/** @throws Error that says what is wrong with the text */
export function parseAgentFile(text: string): AgentFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('it is not JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('it is not a JSON object.');
  const { nats, executable } = value as AgentFile;
  if (nats !== undefined && typeof nats?.url !== 'string') throw new Error('nats.url is missing.');
  if (executable !== undefined && (typeof executable?.baseUrl !== 'string' || typeof executable.sha256 !== 'object'))
    throw new Error('executable.baseUrl or executable.sha256 is missing.');
  return { nats, executable };
}

/** All that a discovery image tells its hosts. Empty texts and lists count as not given. */
export interface DiscoveryInput {
  readonly infraEnvId: string;
  readonly service: ServiceAccess;
  readonly agent: AgentProgram;
  readonly nats?: NatsAccess;
  /** JSON text. */
  readonly pullSecret: string;
  /** One key per line. */
  readonly sshAuthorizedKeys: string;
  readonly proxy: ProxySettings;
  readonly ntp: NtpSettings;
  /** PEM. */
  readonly additionalTrustBundle: string;
  /** Absent: the hosts find their network themselves, or it comes in a ramdisk. */
  readonly staticNetwork?: StaticNetwork;
  readonly registries?: RegistrySettings;
  /** Only for hosts of OKD. */
  readonly okd?: { readonly packagesImage: string };
}

export interface RegistrySettings {
  /** TOML, as containers read it. */
  readonly registriesConf: string;
  /** PEM of the authority that signed the mirrors' certificates; empty when it is known anyway. */
  readonly caPem: string;
  readonly takesUnsigned: boolean;
}

export interface StaticNetwork {
  readonly form: NetworkForm;
  readonly hosts: readonly HostNetwork[];
  /** How long the ports of a machine may take to turn up, besides the usual. */
  readonly delaySeconds: number;
}

export interface ServiceAccess {
  /** SERVICE_BASE_URL: where hosts reach the service. */
  readonly url: string;
  readonly skipsCertificateVerification: boolean;
  /** PEM of the authority that signed the service's certificate. */
  readonly caPem: string;
  /** What agents of this infra-env identify themselves with; a secret. */
  readonly token: string;
}

export interface AgentProgram {
  /** Image reference, or `muster-host:<version>` for the executable. */
  readonly image: string;
  /** Downloaded and started directly; no container is needed. Absent: the agent is taken out of its container image. */
  readonly executable?: ExecutableSource;
  /** How long pulling the image and starting may take. */
  readonly startTimeoutSeconds: number;
}

export interface ProxySettings {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  /** Comma separated. */
  readonly noProxy: string;
}

export interface NtpSettings {
  /** Comma separated; the only sources when given. */
  readonly sources: string;
  /** Comma separated; besides those that the image knows. */
  readonly additionalSources: string;
}

/** NAME → value for every name that programs look for; none without an http or https proxy. */
function proxyVariables({ httpProxy, httpsProxy, noProxy }: ProxySettings): readonly (readonly [string, string])[] {
  if (httpProxy === '' && httpsProxy === '') return [];
  const given: readonly (readonly [string, string])[] = [
    ['HTTP_PROXY', httpProxy],
    ['HTTPS_PROXY', httpsProxy],
    ['NO_PROXY', noProxy],
  ];
  return given
    .filter(([, value]) => value !== '')
    .flatMap(([name, value]) => [[name, value] as const, [name.toLowerCase(), value] as const]);
}

export function proxyEnvironmentLines(proxy: ProxySettings): readonly string[] {
  return proxyVariables(proxy).map(([name, value]) => environmentLine(name, value));
}

/** For login shells of users and scripts. */
export function proxyFiles(proxy: ProxySettings): readonly IgnitionFile[] {
  const lines = proxyVariables(proxy).map(([name, value]) => `export ${name}=${shellQuote(value)}\n`);
  return lines.length === 0 ? [] : [textFile('/etc/profile.d/proxy.sh', MODE_READABLE, lines.join(''))];
}

/** For Ignition's own downloads. */
export function ignitionProxy(proxy: ProxySettings): IgnitionProxy | undefined {
  if (proxyVariables(proxy).length === 0) return undefined;
  const noProxy = splitList(proxy.noProxy);
  return {
    ...(proxy.httpProxy && { httpProxy: proxy.httpProxy }),
    ...(proxy.httpsProxy && { httpsProxy: proxy.httpsProxy }),
    ...(noProxy.length > 0 && { noProxy }),
  };
}

/** The entries of a comma-separated list. */
export function splitList(list: string): readonly string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
