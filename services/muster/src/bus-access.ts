import { hostname, networkInterfaces } from 'node:os';
import { addressesIn, type BusTlsFiles, isNatsCredentials, MAX_MESSAGE_BYTES } from '@muster/adapter-nats';
import { readFileSetting, SettingsError, type SettingsReader } from '@muster/nest-kit';
import { StartError } from './start-error';

/** The name or address of a loopback interface, with or without a port. */
export const LOOPBACK = /^(localhost|127(\.\d+)+|\[::1\])(?![\w.-])|^::1$/i;
/** A server on such an address accepts connections to every address of its machine. */
export const EVERY_ADDRESS = /^(0\.0\.0\.0|::)$/;

/** Without authentication every machine gets the bus credentials of hosts from the REST API. */
export function openBusProblems(settings: SettingsReader): readonly string[] {
  if (settings.get('AUTH_TYPE') !== 'none' || settings.get('NATS_OPEN')) return [];
  const name = settings.isSet('NATS_URL') ? 'AGENT_NATS_URL' : 'NATS_HOST';
  const host = hostOf(settings.get(name) ?? '');
  if (host === '' || LOOPBACK.test(host)) return [];
  return [
    `Setting ${name}=${host} makes the bus reachable from other machines, and with AUTH_TYPE=none every machine gets the bus credentials of every host. Set AUTH_TYPE to another type, or ${name} to a loopback address, or NATS_OPEN=true if only trusted machines reach this service.`,
  ];
}

/**
 * Refuses a server beyond this machine that admits every client, and one that listens in place of the child process. Warns about one that
 * accepts smaller messages than the child process.
 * @throws StartError `settings`, or `dependency` for the address of the child process
 */
export function checkBusAccess(
  settings: SettingsReader,
  bus: { readonly requiresCredentials: boolean; readonly maxMessageBytes?: number; readonly isChild?: boolean },
  warn: (text: string) => void = () => undefined,
): void {
  const hosts = addressesIn(settings.get('NATS_URL') ?? '').map(hostOf);
  const host = hosts.join(', ');
  const { maxMessageBytes = MAX_MESSAGE_BYTES } = bus;
  if (maxMessageBytes < MAX_MESSAGE_BYTES)
    warn(
      `The NATS server ${host} (NATS_URL) accepts messages of at most ${maxMessageBytes} bytes, so requests with larger documents fail. Set max_payload to ${MAX_MESSAGE_BYTES} in its configuration.`,
    );
  // The child process admits only credentials of this installation.
  if (bus.isChild && !bus.requiresCredentials)
    throw new StartError(
      'dependency',
      `Another NATS server, which requires no credentials, listens on ${host} in place of the nats-server of Muster. Stop it, or change NATS_PORT, or set NATS_URL.`,
    );
  const isLocal = host === '' || hosts.every((one) => LOOPBACK.test(one));
  if (bus.requiresCredentials || isLocal || settings.get('NATS_OPEN')) return;
  throw new StartError(
    'settings',
    `The NATS server ${host} (NATS_URL) requires no credentials, so every machine that reaches it can send commands to every service. Configure authentication in the server and set NATS_CREDENTIALS_FILE, or set NATS_OPEN=true if only trusted machines reach the server.`,
  );
}

/** Returns the text of NATS_CREDENTIALS_FILE. Undefined when it is not set. A file that a connection cannot use is rejected. */
export function readBusCredentials(settings: SettingsReader): string | undefined {
  const name = 'NATS_CREDENTIALS_FILE';
  const text = readFileSetting(settings, name);
  if (text !== undefined && !isNatsCredentials(text))
    settings.reject(name, settings.get(name) ?? '', 'a credentials file of NATS with a user JWT and its key');
  return text;
}

/**
 * Returns the credentials for the bus. Those in NATS_CREDENTIALS_FILE are read at each connection attempt, because they expire, and the file is
 * replaced before. While the file cannot be used, the text of the start is returned.
 */
export function presentCredentials(
  settings: SettingsReader,
  { natsCredentials, isChildBus }: { readonly natsCredentials?: string; readonly isChildBus?: boolean },
): string | (() => string) | undefined {
  if (natsCredentials === undefined || isChildBus) return natsCredentials;
  return () => {
    const found = readFileSetting(settings, 'NATS_CREDENTIALS_FILE') ?? '';
    // A file that is being written is not complete. The client would end for good with a part of it.
    return isNatsCredentials(found) ? found : natsCredentials;
  };
}

/** Returns why agents on other machines do not use the bus although a setting is meant for that. */
export function agentBusProblem(settings: SettingsReader): string | undefined {
  const [url = '', host] = [settings.get('AGENT_NATS_URL'), settings.get('NATS_HOST')];
  const agentHost = url.replace(/^\w+:\/\//, '').replace(/:\d*\/*$/, '');
  if (!url && !settings.isSet('NATS_URL') && EVERY_ADDRESS.test(host))
    return `AGENT_NATS_URL is not set, and NATS_HOST=${host} is not the address of one machine`;
  if (LOOPBACK.test(agentHost) && !settings.get('MUSTER_SIMULATED_IMAGE'))
    return `AGENT_NATS_URL=${url} is a loopback address`;
  return EVERY_ADDRESS.test(agentHost.replace(/^\[|\]$/g, ''))
    ? `AGENT_NATS_URL=${url} is not the address of one machine`
    : undefined;
}

/** Returns the host and the port of a URL or of an address, without the password. */
const hostOf = (url: string): string => url.replace(/^\w+:\/\//, '').replace(/^.*@/, '');

/**
 * Certificate of the bus; undefined: plain connections.
 * @throws SettingsError when a file of the certificate is missing
 */
export function busTls(settings: SettingsReader): BusTlsFiles | { readonly own: readonly string[] } | undefined {
  const [host, mode] = [settings.get('NATS_HOST'), settings.get('NATS_TLS')];
  const [certFile, keyFile, caFile] = (['NATS_CERT_FILE', 'NATS_KEY_FILE', 'NATS_CA_FILE'] as const).map((name) =>
    settings.get(name),
  );
  if (mode === 'off') {
    if (certFile || keyFile || caFile)
      throw new SettingsError([
        'NATS_TLS=off cannot be combined with NATS_CERT_FILE, NATS_KEY_FILE or NATS_CA_FILE. Unset them, or NATS_TLS.',
      ]);
    return undefined;
  }
  if (certFile && keyFile && caFile) return { certFile, keyFile, caFile };
  if (certFile || keyFile || caFile)
    throw new SettingsError([
      'NATS_CERT_FILE, NATS_KEY_FILE and NATS_CA_FILE belong together. Set all three, or none for a certificate that Muster makes.',
    ]);
  if (mode === 'auto' && LOOPBACK.test(host)) return undefined;
  const agentUrl = settings.get('AGENT_NATS_URL');
  const agentHost = agentUrl && URL.canParse(agentUrl) ? [new URL(agentUrl).hostname.replace(/^\[|\]$/g, '')] : [];
  const addresses = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
  return {
    own: [host, ...agentHost, hostname(), 'localhost', ...addresses.filter((address) => !address.includes('%'))],
  };
}
