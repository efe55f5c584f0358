import type { ExecutableSource, NatsAccess } from './agent-file';
import type { HostNetwork, NetworkForm } from '../static-network/host-networks';

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
