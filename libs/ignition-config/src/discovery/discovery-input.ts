import { createJsonReader } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import { environmentLine, type IgnitionFile, type IgnitionProxy } from '../config/ignition-config';
import { MODE_READABLE, textFile } from '../config/ignition-file';
import type { HostNetwork, NetworkForm } from '../static-network/host-networks';

/** The file with the agent's configuration in addition to its flags. The image and the agent use this declaration. */
export const AGENT_SETTINGS_PATH = '/etc/muster/agent.json';

/** The executable that hosts download from the service. */
export interface ExecutableSource {
  /** Without the architecture: `http://host:port/host-binaries`. */
  readonly baseUrl: string;
  /** Digest (hexadecimal) of the file of each architecture. */
  readonly sha256: { readonly [architecture: string]: string };
}

/** The bus endpoint for agents of Muster. */
export interface NatsAccess {
  readonly url: string;
  /** Text of a credentials file. Secret. Absent when the server requires none. */
  readonly credentials?: string;
  readonly inboxPrefix?: string;
  /** The certificate authority of the bus, PEM. When set, the agent uses TLS only. */
  readonly caPem?: string;
}

export interface AgentFile {
  readonly nats?: NatsAccess;
  readonly executable?: ExecutableSource;
}

export const toAgentFileText = (file: AgentFile): string => `${JSON.stringify(file)}\n`;

const AGENT_FILE = Type.Object({
  nats: Type.Optional(
    Type.Object({
      url: Type.String(),
      credentials: Type.Optional(Type.String()),
      inboxPrefix: Type.Optional(Type.String()),
      caPem: Type.Optional(Type.String()),
    }),
  ),
  executable: Type.Optional(Type.Object({ baseUrl: Type.String(), sha256: Type.Record(Type.String(), Type.String()) })),
});

/**
 * Parses the text.
 * @throws Error with the reason; it repeats no value, because the file contains credentials
 */
export const parseAgentFile: (text: string) => AgentFile = createJsonReader(AGENT_FILE, { name: 'the file' });

/** The input of a discovery image. Empty texts and lists count as absent. */
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
  /** PEM of the certificate authority of Red Hat's own network; empty: hosts do not need it. */
  readonly redHatCaPem: string;
  /** Absent: the hosts use DHCP, or a ramdisk contains the configuration. */
  readonly staticNetwork?: StaticNetwork;
  readonly registries?: RegistrySettings;
  /** Set for hosts of OKD only. */
  readonly okd?: { readonly packagesImage: string };
}

export interface RegistrySettings {
  /** TOML in the format of containers-registries.conf. */
  readonly registriesConf: string;
  /** PEM of the certificate authority of the mirrors. Empty when hosts trust it already. */
  readonly caPem: string;
  readonly takesUnsigned: boolean;
}

export interface StaticNetwork {
  readonly form: NetworkForm;
  readonly hosts: readonly HostNetwork[];
  /** Additional seconds for network ports to appear. */
  readonly delaySeconds: number;
}

export interface ServiceAccess {
  /** SERVICE_BASE_URL: where hosts reach the service. */
  readonly url: string;
  readonly skipsCertificateVerification: boolean;
  /** PEM of the certificate authority of the service. */
  readonly caPem: string;
  /** Credential of the agents of this infra-env. Secret. */
  readonly token: string;
}

export interface AgentProgram {
  /** Image reference, or `muster-host:<version>` for the executable. */
  readonly image: string;
  /** Downloaded and started without a container. Absent: the agent is copied from its container image. */
  readonly executable?: ExecutableSource;
  /** Time limit for pulling the image and starting the agent, in seconds. */
  readonly startTimeoutSeconds: number;
}

export interface ProxySettings {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  /** Comma separated. */
  readonly noProxy: string;
}

export interface NtpSettings {
  /** Comma separated. When set, these are the only NTP sources. */
  readonly sources: string;
  /** Comma separated. Used in addition to the NTP sources of the image. */
  readonly additionalSources: string;
}

/** Returns every usual name of the proxy variables with its value. Empty without an http or https proxy. */
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

/** For login shells and scripts. */
export function proxyFiles(proxy: ProxySettings): readonly IgnitionFile[] {
  const lines = proxyVariables(proxy).map(([name, value]) => `export ${name}=${shellQuote(value)}\n`);
  return lines.length === 0 ? [] : [textFile('/etc/profile.d/proxy.sh', MODE_READABLE, lines.join(''))];
}

/** For the downloads of Ignition. */
export function ignitionProxy(proxy: ProxySettings): IgnitionProxy | undefined {
  if (proxyVariables(proxy).length === 0) return undefined;
  // Ignition refuses a list with a repeated entry.
  const noProxy = [...new Set(splitList(proxy.noProxy))];
  return {
    ...(proxy.httpProxy && { httpProxy: proxy.httpProxy }),
    ...(proxy.httpsProxy && { httpsProxy: proxy.httpsProxy }),
    ...(noProxy.length > 0 && { noProxy }),
  };
}

/** Returns the entries of a comma-separated list. */
export function splitList(list: string): readonly string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
