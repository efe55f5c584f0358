import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type ProxySettings, readProxySettings } from '@muster/host-api';
import { AGENT_SETTINGS_PATH, type AgentFile, parseAgentFile } from '@muster/ignition-config';
import { errorMessage } from '@muster/schema';
import { type DiscoverySettings, readBootImageFile, readDiscoverySettings } from './discovery-settings';
import { isUuid } from './machine/machine.port';

/** The flags of the agent. */
export interface CommandLine {
  readonly url?: string;
  readonly infraEnvId?: string;
  readonly agentVersion?: string;
  readonly hostId?: string;
  readonly intervalSeconds: number;
  readonly cacert?: string;
  readonly isInsecure: boolean;
  readonly natsUrl?: string;
  readonly natsCreds?: string;
  readonly ignition?: string;
  readonly iso?: string;
  readonly isInventoryOnly: boolean;
  readonly isRegistered: boolean;
  readonly wantsHelp: boolean;
}

export const USAGE = `muster-host agent: registers this machine with a Muster or assisted-install service and runs the steps that the service returns.

  muster-host agent --url URL --infra-env-id ID --agent-version IMAGE [options]
  muster-host agent --ignition FILE | --iso FILE [options]   take all three from a discovery Ignition config or image
  muster-host agent --inventory                              print the inventory of this machine and exit

  --url URL              address of the service, such as http://192.0.2.1:8090
  --infra-env-id ID      infra-env that the machine registers in
  --agent-version IMAGE  image reference of this agent
  --host-id ID           id of this host (default: derived from the machine)
  --interval SECONDS     between attempts to register (default: 60)
  --cacert FILE          certificate authority of the service (PEM), in addition to the default ones
  --insecure             do not verify the service's certificate
  --nats-url URL         use NATS, with HTTP as fallback
  --nats-creds FILE      credentials (.creds) for NATS
  --registered           run the steps of a registered host only, such as one that is being reclaimed

Environment variables:
  PULL_SECRET_TOKEN      token of the infra-env, sent as X-Secret-Key
  HTTP_PROXY, HTTPS_PROXY, NO_PROXY
                         proxies of requests to the service, and hosts without a proxy
  SSL_CERT_FILE          certificate authorities (PEM) in place of those of the system
`;

const DEFAULT_INTERVAL_SECONDS = 60;
/** Logging flags of assisted-installer-agent. They are accepted and have no effect. */
const LOGGING_FLAGS = ['with-journal-logging', 'with-text-logging', 'with-stdout-logging'];
const BOOLEANS = ['insecure', 'help', 'inventory', 'registered', ...LOGGING_FLAGS];

/**
 * Parses the flags. `-flag`, `--flag`, `--flag=value` and `--flag value` are equivalent.
 * @throws Error with the name of the invalid flag
 */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const doubled = args.map((arg) => (/^-[a-z]{2}/.test(arg) ? `-${arg}` : arg));
  // A switch may be written as --insecure=false, which the parser of Node does not support.
  const switches = new Map<string, boolean>();
  const rest = doubled.filter((arg) => {
    const [, name = '', value] = /^--([a-z-]+)(?:=(.*))?$/.exec(arg) ?? [];
    if (!BOOLEANS.includes(name)) return true;
    if (value !== undefined && !['true', 'false', '1', '0'].includes(value))
      throw new Error(`--${name} must be true or false, not "${value}".`);
    switches.set(name, !['false', '0'].includes(value ?? 'true'));
    return false;
  });
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: rest,
    options: {
      url: text,
      'infra-env-id': text,
      'agent-version': text,
      'host-id': text,
      interval: text,
      cacert: text,
      'nats-url': text,
      'nats-creds': text,
      ignition: text,
      iso: text,
    },
  });
  const intervalSeconds = Number(values.interval ?? DEFAULT_INTERVAL_SECONDS);
  if (!Number.isFinite(intervalSeconds) || intervalSeconds <= 0)
    throw new Error(`--interval must be a number of seconds above 0, not "${values.interval}".`);
  return {
    url: values.url,
    infraEnvId: values['infra-env-id'],
    agentVersion: values['agent-version'],
    hostId: values['host-id'],
    intervalSeconds,
    cacert: values.cacert,
    isInsecure: switches.get('insecure') ?? false,
    natsUrl: values['nats-url'],
    natsCreds: values['nats-creds'],
    ignition: values.ignition,
    iso: values.iso,
    isInventoryOnly: switches.get('inventory') ?? false,
    isRegistered: switches.get('registered') ?? false,
    wantsHelp: switches.get('help') ?? false,
  };
}

/**
 * Returns the settings of a discovery Ignition config or image when the command line names one, otherwise those of the
 * agent's file on this machine. Flags and environment take precedence.
 * @throws Error with the missing flag
 */
export async function settingsOf(
  line: CommandLine,
  environment: NodeJS.ProcessEnv,
  agentFileText?: string,
): Promise<DiscoverySettings> {
  const found = (await foundSettings(line)) ?? settingsOfFile(agentFileText);
  const token = environment['PULL_SECRET_TOKEN'] ?? found?.token ?? '';
  const natsUrl = line.natsUrl ?? found?.nats?.url;
  const credentials = line.natsCreds ? readFileSync(line.natsCreds, 'utf8') : found?.nats?.credentials;
  const infraEnvId = required(line.infraEnvId ?? found?.infraEnvId, '--infra-env-id');
  if (!isUuid(infraEnvId)) throw new Error(`--infra-env-id must be a UUID, not "${infraEnvId}".`);
  if (line.hostId !== undefined && !isUuid(line.hostId))
    throw new Error(`--host-id must be a UUID, not "${line.hostId}".`);
  const proxy = readProxySettings(environment);
  return {
    serviceUrl: httpUrl(required(line.url ?? found?.serviceUrl, '--url')),
    infraEnvId,
    agentVersion: required(line.agentVersion ?? found?.agentVersion, '--agent-version'),
    token,
    isInsecure: line.isInsecure || (found?.isInsecure ?? false),
    caPem: line.cacert ? readFileSync(line.cacert, 'utf8') : found?.caPem,
    caPath: line.cacert ?? found?.caPath,
    ...(hasProxy(proxy) && { proxy }),
    ...(found?.executable && { executable: found.executable }),
    ...(natsUrl && { nats: { ...found?.nats, url: natsUrl, credentials } }),
  };
}

const hasProxy = ({ httpProxy, httpsProxy }: ProxySettings): boolean => httpProxy !== '' || httpsProxy !== '';

function settingsOfFile(text: string | undefined): Partial<DiscoverySettings> {
  if (text === undefined) return {};
  let file: AgentFile;
  try {
    file = parseAgentFile(text);
  } catch (error) {
    throw new Error(`The file ${AGENT_SETTINGS_PATH} cannot be used: ${errorMessage(error)}`);
  }
  return { nats: file.nats, executable: file.executable };
}

async function foundSettings(line: CommandLine): Promise<Partial<DiscoverySettings> | undefined> {
  if (line.iso) return readBootImageFile(line.iso);
  return line.ignition ? readDiscoverySettings(readFileSync(line.ignition, 'utf8')) : undefined;
}

function required(value: string | undefined, flag: string): string {
  if (!value) throw new Error(`Give ${flag}, or a discovery image with --iso or --ignition.`);
  return value;
}

function httpUrl(text: string): string {
  if (!/^https?:\/\/[^/]/.test(text) || !URL.canParse(text))
    throw new Error(`--url must start with http:// or https://, not "${text}".`);
  return text;
}
