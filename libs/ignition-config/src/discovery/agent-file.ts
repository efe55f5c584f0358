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
