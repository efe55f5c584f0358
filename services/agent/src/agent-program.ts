import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { isSea } from 'node:sea';
import { readProxySettings, realTimer } from '@muster/host-api';
import { AGENT_SETTINGS_PATH } from '@muster/ignition-config';
import { type CommandLine, parseCommandLine, settingsOf, USAGE } from './agent-settings';
import { runAgent, toLine } from './agent/agent';
import type { DiscoverySettings } from './discovery-settings';
import { linuxMachine } from './linux/linux-machine';
import { toInventoryText } from './machine/inventory';
import { hostIdOf } from './machine/machine.port';
import { runStep, toProcessExitCode } from './steps/run-step';
import { connectNats } from './transport/nats-transport';
import { openTransport } from './transport/open-transport';

const say = (line: string): void => void process.stderr.write(`${new Date().toISOString()} ${line}\n`);

/** Threads for files and names. A write to a broken disk and a DNS server without an answer occupy them. The default of Node is 4. */
const THREADS = '16';

/**
 * Registers this machine and runs its steps until the process receives SIGTERM or SIGINT. `ownVersion`: the version of this
 * executable. The discovery image and the service may have another one. Absent: the agent comes from a container image.
 * @throws Error with the name of the invalid flag
 */
export async function runAgentProgram(args: readonly string[], ownVersion?: string): Promise<void> {
  // Node reads it with the first file or name.
  process.env['UV_THREADPOOL_SIZE'] ??= THREADS;
  const line = parseCommandLine(args);
  if (line.wantsHelp) return void process.stdout.write(USAGE);
  if (line.isInventoryOnly) return printInventory();
  const given = await settingsOf(line, process.env, readAgentFile());
  const settings = { ...given, agentVersion: ownVersion ?? given.agentVersion };
  if (!settings.token) say('PULL_SECRET_TOKEN is not set. A service that requires a token will refuse this agent.');
  await agentUntil(untilEnded(), settings, { ...line, keepsVersion: ownVersion !== undefined });
}

async function agentUntil(
  signal: AbortSignal,
  settings: DiscoverySettings,
  {
    hostId: givenHostId,
    intervalSeconds,
    isRegistered,
    keepsVersion,
  }: CommandLine & { readonly keepsVersion: boolean },
): Promise<void> {
  const machine = linuxMachine({ settings });
  // The steps that still run when the agent ends for an upgrade would delay its restart.
  const ending = new AbortController();
  const until = AbortSignal.any([signal, ending.signal]);
  setMaxListeners(0, until);
  const hostId = givenHostId?.toLowerCase() ?? hostIdOf(await machine.identity());
  const transport = await openTransport({
    settings,
    hostId,
    timer: realTimer,
    connectNats,
    onFallback: (reason) => say(`NATS is not available, so HTTP is used: ${reason}`),
  });
  try {
    await runAgent(
      {
        machine,
        transport,
        hostId,
        agentVersion: settings.agentVersion,
        clock: { nowMs: () => Date.now() },
        timer: realTimer,
        intervalMs: intervalSeconds * 1000,
        isRegistered,
        keepsVersion,
        // systemd starts the new executable.
        endsAfterUpgrade: isSea(),
        observe: (entry) => say(toLine(entry)),
      },
      until,
    );
  } finally {
    ending.abort();
    await transport.close();
  }
}

/** Prints the inventory of this machine as one JSON object. */
export async function printInventory(): Promise<void> {
  const inventory = await linuxMachine().abilities.inventory?.({ hostId: '' }, untilEnded());
  if (!inventory) throw new Error('This machine cannot take an inventory.');
  process.stdout.write(`${toInventoryText(inventory)}\n`);
}

/**
 * Runs one step with the given arguments, prints its output and returns its exit code. The environment of the agent
 * configures the service: MUSTER_SERVICE_URL, PULL_SECRET_TOKEN.
 */
export async function runStepProgram([type = '', ...args]: readonly string[]): Promise<number> {
  const settings = settingsOfEnvironment();
  const machine = linuxMachine({ settings, isForOneStep: true });
  const { error, exitCode, output } = await runStep(machine, type, args, untilEnded());
  if (output !== '') process.stdout.write(`${output}\n`);
  if (error !== '') process.stderr.write(`${error}\n`);
  return toProcessExitCode(exitCode);
}

/** A step that the installer starts reads the settings of the agent from its environment. */
function settingsOfEnvironment(): DiscoverySettings | undefined {
  const { MUSTER_CA_PATH: caPath, MUSTER_INFRA_ENV_ID: infraEnvId = '', MUSTER_SERVICE_URL: serviceUrl } = process.env;
  if (!serviceUrl) return undefined;
  return {
    serviceUrl,
    infraEnvId,
    agentVersion: process.env['MUSTER_AGENT_VERSION'] ?? '',
    token: process.env['PULL_SECRET_TOKEN'] ?? '',
    isInsecure: process.env['MUSTER_INSECURE'] === 'true',
    proxy: readProxySettings(process.env),
    ...(caPath && { caPath, caPem: readFileSync(caPath, 'utf8') }),
  };
}

function readAgentFile(): string | undefined {
  try {
    return readFileSync(AGENT_SETTINGS_PATH, 'utf8');
  } catch {
    return undefined;
  }
}

function untilEnded(): AbortSignal {
  const ending = new AbortController();
  // All waits and calls end with this signal.
  setMaxListeners(0, ending.signal);
  process.once('SIGTERM', () => ending.abort());
  process.once('SIGINT', () => ending.abort());
  return ending.signal;
}
