import { gunzipSync } from 'node:zlib';
import type { ProxySettings } from '@muster/host-api';
import {
  AGENT_SETTINGS_PATH,
  parseAgentFile,
  type AgentFile,
  type AgentNatsAccess as NatsAccess,
  type ExecutableSource,
} from '@muster/ignition-config';
import { parseUnit } from './systemd-unit';

/** What a discovery image tells the agent that boots from it. */
export interface DiscoverySettings {
  readonly serviceUrl: string;
  readonly infraEnvId: string;
  /** Image reference of the agent. */
  readonly agentVersion: string;
  /** Empty when the service asks for none. */
  readonly token: string;
  readonly isInsecure: boolean;
  /** PEM of the service's certificate authority, where the image brings one. */
  readonly caPem?: string;
  /** Muster's own transport, where the image offers it. */
  readonly nats?: NatsAccess;
  /** Where the service offers this very program. */
  readonly executable?: ExecutableSource;
  /** Proxies for calls to the service. */
  readonly proxy?: ProxySettings;
  /** File with `caPem` on this machine. */
  readonly caPath?: string;
}

export type { NatsAccess };

/** The ignition is not one of a discovery image, or is damaged. */
export class BadDiscoveryIgnition extends Error {
  constructor(reason: string) {
    super(`This ignition does not boot a discovery agent: ${reason}`);
    this.name = 'BadDiscoveryIgnition';
  }
}

interface IgnitionFile {
  readonly path?: string;
  readonly contents?: { readonly source?: string; readonly compression?: string };
}
interface Ignition {
  readonly systemd?: { readonly units?: readonly { readonly name?: string; readonly contents?: string }[] };
  readonly storage?: { readonly files?: readonly IgnitionFile[] };
}

const AGENT_UNIT = 'agent.service';

/** Reads a discovery ignition (JSON text). Throws BadDiscoveryIgnition with what is missing. */
export function readDiscoverySettings(ignitionText: string): DiscoverySettings {
  const ignition = parseIgnition(ignitionText);
  const contents = ignition.systemd?.units?.find((unit) => unit.name === AGENT_UNIT)?.contents;
  if (!contents) throw new BadDiscoveryIgnition(`it has no unit ${AGENT_UNIT}.`);
  const { flags, environment } = parseUnit(contents);
  const required = (flag: string): string => {
    const value = flags.get(flag);
    if (!value) throw new BadDiscoveryIgnition(`the command of ${AGENT_UNIT} lacks --${flag}.`);
    return value;
  };
  const caPath = flags.get('cacert');
  const { nats, executable } = readAgentFile(ignition);
  return {
    serviceUrl: required('url'),
    infraEnvId: required('infra-env-id'),
    agentVersion: required('agent-version'),
    token: environment.get('PULL_SECRET_TOKEN') ?? '',
    isInsecure: ['true', '1', ''].includes(flags.get('insecure') ?? 'false'),
    ...(caPath && { caPem: readFile(ignition, caPath), caPath }),
    ...(nats && { nats }),
    ...(executable && { executable }),
  };
}

function parseIgnition(text: string): Ignition {
  try {
    return JSON.parse(text) as Ignition;
  } catch {
    throw new BadDiscoveryIgnition('it is not JSON.');
  }
}

function readAgentFile(ignition: Ignition): AgentFile {
  const text = readFile(ignition, AGENT_SETTINGS_PATH);
  if (text === undefined) return {};
  try {
    return parseAgentFile(text);
  } catch (error) {
    throw new BadDiscoveryIgnition(`the file ${AGENT_SETTINGS_PATH} cannot be used: ${(error as Error).message}`);
  }
}

function readFile(ignition: Ignition, path: string): string | undefined {
  const contents = ignition.storage?.files?.find((file) => file.path === path)?.contents;
  if (!contents) return undefined;
  const data = /^data:[^,]*?(;base64)?,(.*)$/s.exec(contents.source ?? '');
  if (!data) throw new BadDiscoveryIgnition(`the file ${path} is not given as a data URL.`);
  const [, base64, body = ''] = data;
  const bytes = base64 ? Buffer.from(body, 'base64') : Buffer.from(decodeURIComponent(body), 'utf8');
  return (contents.compression === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8');
}
