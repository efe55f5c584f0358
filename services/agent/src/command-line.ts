import { parseArgs } from 'node:util';

/** The flags that the agent was started with. */
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
  readonly wantsHelp: boolean;
}

export const USAGE = `muster agent: registers this machine with a Muster or assisted-install service and runs the steps it is given.

  agent --url URL --infra-env-id ID --agent-version IMAGE [options]
  agent --ignition FILE | --iso FILE [options]      take all three from a discovery ignition or image
  agent --inventory                                 print what this machine is made of, and end

  --url URL              address of the service, such as http://192.0.2.1:8090
  --infra-env-id ID      infra-env that the machine registers in
  --agent-version IMAGE  image reference that this agent came from
  --host-id ID           id of this host (default: derived from the machine)
  --interval SECONDS     between tries to register (default: 60)
  --cacert FILE          certificate authority of the service (PEM), besides the usual ones
  --insecure             do not verify the service's certificate
  --nats-url URL         talk over NATS, with HTTP in reserve
  --nats-creds FILE      credentials (.creds) for NATS
  PULL_SECRET_TOKEN      environment: token of the infra-env, sent as X-Secret-Key
`;

const DEFAULT_INTERVAL_SECONDS = 60;
/** Logging flags of assisted-installer-agent. They are accepted and have no effect. */
const LOGGING_FLAGS = ['with-journal-logging', 'with-text-logging', 'with-stdout-logging'];
const BOOLEANS = ['insecure', 'help', 'inventory', ...LOGGING_FLAGS];

/** Throws an Error that names the flag that is wrong. `-flag`, `--flag`, `--flag=value` and `--flag value` are the same. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const doubled = args.map((arg) => (/^-[a-z]{2}/.test(arg) ? `-${arg}` : arg));
  // A switch may be written --insecure=false, which the parser of Node does not know.
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
    wantsHelp: switches.get('help') ?? false,
  };
}
