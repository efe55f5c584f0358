import { open } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { type ByteSource, readBootIsoLayout, readIgnitionConfig } from '@muster/boot-image';
import type { ProxySettings } from '@muster/host-api';
import {
  AGENT_SETTINGS_PATH,
  type AgentFile,
  type NatsAccess,
  type ExecutableSource,
  parseAgentFile,
} from '@muster/ignition-config';
import { errorMessage, createJsonParser, formatViolation } from '@muster/schema';
import { type Static, Type } from '@sinclair/typebox';

/** The parts of a systemd unit that start its program. */
export interface UnitCommand {
  readonly environment: ReadonlyMap<string, string>;
  /** Flags of ExecStart without leading dashes. A flag without a value has an empty text. */
  readonly flags: ReadonlyMap<string, string>;
}

export function parseUnit(contents: string): UnitCommand {
  const lines = contents.replace(/\\\r?\n/g, ' ').split(/\r?\n/);
  const valuesOf = (key: string): string[] =>
    lines.flatMap((line) => (line.trim().startsWith(`${key}=`) ? [line.trim().slice(key.length + 1)] : []));
  const environment = new Map(
    valuesOf('Environment')
      .flatMap(splitArguments)
      .map((word) => {
        const equals = word.indexOf('=');
        return [word.slice(0, equals), word.slice(equals + 1)] as const;
      }),
  );
  return { environment, flags: parseFlags(valuesOf('ExecStart').flatMap(splitArguments).slice(1)) };
}

/** Parses `--name value`, `--name=value` and `-name` as assisted-installer-agent does. */
function parseFlags(words: readonly string[]): ReadonlyMap<string, string> {
  const flags = new Map<string, string>();
  words.forEach((word, index) => {
    const flag = /^--?([^=]+)(?:=(.*))?$/s.exec(word);
    if (!flag?.[1]) return;
    const next = words[index + 1];
    flags.set(flag[1], flag[2] ?? (next === undefined || next.startsWith('-') ? '' : next));
  });
  return flags;
}

/** Splits a line of a unit at blanks. Quotes group text with blanks, `%%` is a percent sign. */
function splitArguments(line: string): string[] {
  const words = line.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2').replaceAll('%%', '%'));
}

/** Settings that a discovery image contains for its agent. */
export interface DiscoverySettings {
  readonly serviceUrl: string;
  readonly infraEnvId: string;
  /** Image reference of the agent. */
  readonly agentVersion: string;
  /** Empty when the service requires no token. */
  readonly token: string;
  readonly isInsecure: boolean;
  /** PEM of the certificate authority of the service; absent when the image contains none. */
  readonly caPem?: string;
  /** Access to the bus; absent when the image does not offer it. */
  readonly nats?: NatsAccess;
  /** Source of the host executable at the service. */
  readonly executable?: ExecutableSource;
  /** Proxies for requests to the service. */
  readonly proxy?: ProxySettings;
  /** File with `caPem` on this machine. */
  readonly caPath?: string;
}

export type { NatsAccess };

/** The Ignition config is not that of a discovery image, or is damaged. */
export class BadDiscoveryIgnition extends Error {
  constructor(reason: string) {
    super(`This ignition does not boot a discovery agent: ${reason}`);
    this.name = 'BadDiscoveryIgnition';
  }
}

const optionalText = Type.Optional(Type.String());
const IGNITION = Type.Object({
  systemd: Type.Optional(
    Type.Object({ units: Type.Optional(Type.Array(Type.Object({ name: optionalText, contents: optionalText }))) }),
  ),
  storage: Type.Optional(
    Type.Object({
      files: Type.Optional(
        Type.Array(
          Type.Object({
            path: optionalText,
            contents: Type.Optional(Type.Object({ source: optionalText, compression: optionalText })),
          }),
        ),
      ),
    }),
  ),
});
type Ignition = Static<typeof IGNITION>;
const parseIgnitionText = createJsonParser(IGNITION, { name: 'the config', nullIsAbsent: true, hidesValues: true });

const AGENT_UNIT = 'agent.service';

/**
 * Reads the Ignition config of a discovery image (JSON text).
 * @throws BadDiscoveryIgnition with the missing part
 */
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
  const parsed = parseIgnitionText(text);
  if (parsed.kind === 'valid') return parsed.value;
  throw new BadDiscoveryIgnition(`${formatViolation(parsed.violations[0])}.`);
}

function readAgentFile(ignition: Ignition): AgentFile {
  const text = readFile(ignition, AGENT_SETTINGS_PATH);
  if (text === undefined) return {};
  try {
    return parseAgentFile(text);
  } catch (error) {
    throw new BadDiscoveryIgnition(`the file ${AGENT_SETTINGS_PATH} cannot be used: ${errorMessage(error)}`);
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

/**
 * Returns the settings of a discovery image.
 * @throws BootImageError or BadDiscoveryIgnition
 */
export async function readBootImage(image: ByteSource): Promise<DiscoverySettings> {
  const layout = await readBootIsoLayout(image);
  const config = await readIgnitionConfig(image, layout.ignition);
  if (!config) throw new BadDiscoveryIgnition('the image contains no Ignition config. Download it again.');
  return readDiscoverySettings(Buffer.from(config).toString('utf8'));
}

/** Opens the ISO at `path` and returns its settings. */
export async function readBootImageFile(path: string): Promise<DiscoverySettings> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    return await readBootImage({
      size,
      read: async (offset, length) => {
        const bytes = new Uint8Array(length);
        const { bytesRead } = await file.read(bytes, 0, length, offset);
        if (bytesRead !== length) throw new Error(`${path} ends ${length - bytesRead} bytes too early.`);
        return bytes;
      },
    });
  } finally {
    await file.close();
  }
}
