import { isObject, textAt } from '@muster/schema';

/** The parts of an Ignition config, version 3, that this library writes. A merge keeps other parts unchanged. */
export interface IgnitionConfig {
  readonly ignition: IgnitionSection;
  readonly passwd?: { readonly users?: readonly IgnitionUser[] };
  readonly storage?: { readonly files?: readonly IgnitionFile[] };
  readonly systemd?: { readonly units?: readonly IgnitionUnit[] };
}

export interface IgnitionSection {
  /** Version of the specification, such as 3.1.0. */
  readonly version: string;
  readonly config?: { readonly merge?: readonly IgnitionResource[] };
  readonly proxy?: IgnitionProxy;
  readonly security?: { readonly tls?: { readonly certificateAuthorities?: readonly IgnitionResource[] } };
}

export interface IgnitionProxy {
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  readonly noProxy?: readonly string[];
}

/** A source of bytes by URL. A `data:` URL contains the bytes. */
export interface IgnitionResource {
  readonly source: string;
  readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[];
}

export interface IgnitionUser {
  readonly name: string;
  readonly groups?: readonly string[];
  readonly passwordHash?: string;
  readonly sshAuthorizedKeys?: readonly string[];
}

export interface IgnitionFile {
  /** Absolute. */
  readonly path: string;
  /** As a decimal number: 420 is octal 0644. */
  readonly mode?: number;
  readonly overwrite?: boolean;
  readonly contents?: IgnitionResource;
}

export interface IgnitionUnit {
  readonly name: string;
  readonly enabled?: boolean;
  /** Absent for a unit that the image contains. */
  readonly contents?: string;
  /** Additions to the unit; each name ends in `.conf`. */
  readonly dropins?: readonly { readonly name: string; readonly contents: string }[];
}

/** Returns the config as JSON text with sorted members, so that equal configs have equal bytes. */
export function toIgnitionJson(config: IgnitionConfig): string {
  return JSON.stringify(config, (_, value: unknown) => (isObject(value) ? sorted(value) : value));
}

/**
 * Returns the document as an Ignition config. Checks only the version. `parseIgnitionConfig` validates the members.
 * @throws Error when it does not name the version of the specification
 */
export function toIgnitionConfig(document: unknown): IgnitionConfig {
  if (!isIgnitionConfig(document))
    throw new Error('The document is not an Ignition config: ignition.version is missing.');
  return document;
}

/** Whether the document names the version of the Ignition specification. */
export const isIgnitionConfig = (document: unknown): document is IgnitionConfig =>
  textAt(document, 'ignition', 'version') !== undefined;

/** Returns the keys in the lines of a text, without comments. Ignition refuses a repeated key. */
export function sshKeysIn(lines: string): readonly string[] {
  const keys = lines.split('\n').map((line) => line.trim());
  return [...new Set(keys.filter((key) => key !== '' && !key.startsWith('#')))];
}

function sorted(value: { readonly [name: string]: unknown }): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** `%` starts a specifier in every line of a unit. */
export function escapeUnitText(text: string): string {
  return text.replaceAll('%', '%%');
}

/** Ignition refuses a unit with a line above 2,048 bytes. */
const LINE_BYTES_MAX = 2_000;

/** Divides a line after commas. systemd joins the parts with a blank, which lists of hosts may contain. */
function dividedLine(line: string): string {
  const lines = [''];
  let bytes = 0;
  for (const part of line.split(/(?<=,)/)) {
    const added = new TextEncoder().encode(part).length;
    if (bytes > 0 && bytes + added > LINE_BYTES_MAX) {
      lines.push('');
      bytes = 0;
    }
    lines[lines.length - 1] += part;
    bytes += added;
  }
  return lines.join('\\\n');
}

/** Returns one `Environment=` line. The value is quoted, so that it cannot end the line or start another one. */
export function environmentLine(name: string, value: string): string {
  const quoted = escapeUnitText(value)
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
  return dividedLine(`Environment="${name}=${quoted}"`);
}
