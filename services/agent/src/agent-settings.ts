import { readFileSync } from 'node:fs';
import { type ProxySettings, readProxySettings } from '@muster/host-api';
import { AGENT_SETTINGS_PATH, type AgentFile, parseAgentFile } from '@muster/ignition-config';
import type { CommandLine } from './command-line';
import { readBootImageFile } from './discovery/boot-image';
import { readDiscoverySettings, type DiscoverySettings } from './discovery/discovery-settings';
import { isUuid } from './machine/machine-identity';

/**
 * Returns the settings of a discovery ignition or image where the command line names one, otherwise those of the agent's file
 * on this machine; flags and environment take precedence. @throws Error with the flag to give
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
    ...(natsUrl && { nats: { url: natsUrl, credentials, inboxPrefix: found?.nats?.inboxPrefix } }),
  };
}

const hasProxy = ({ httpProxy, httpsProxy }: ProxySettings): boolean => httpProxy !== '' || httpsProxy !== '';

function settingsOfFile(text: string | undefined): Partial<DiscoverySettings> {
  if (text === undefined) return {};
  let file: AgentFile;
  try {
    file = parseAgentFile(text);
  } catch (error) {
    throw new Error(`The file ${AGENT_SETTINGS_PATH} cannot be used: ${(error as Error).message}`);
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
