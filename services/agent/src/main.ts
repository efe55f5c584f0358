import { realTimer } from '@muster/host-api';
import { setMaxListeners } from 'node:events';
import { runAgent } from './agent/agent';
import { toLine } from './agent/agent-log-entry';
import { settingsOf } from './agent-settings';
import { parseCommandLine, USAGE } from './command-line';
import { connectNats } from './transport/connect-nats';
import { openTransport } from './transport/open-transport';
import { linuxMachine } from './linux/linux-machine';
import { toInventoryText, type Inventory } from './machine/inventory';
import { hostIdOf } from './machine/machine-identity';

const say = (line: string): void => void process.stderr.write(`${new Date().toISOString()} ${line}\n`);

async function main(): Promise<void> {
  const line = parseCommandLine(process.argv.slice(2));
  if (line.wantsHelp) return void process.stdout.write(USAGE);
  const ending = new AbortController();
  // Every wait and every call listens to it.
  setMaxListeners(0, ending.signal);
  process.once('SIGTERM', () => ending.abort());
  process.once('SIGINT', () => ending.abort());
  const machine = linuxMachine();
  if (line.isInventoryOnly) {
    const inventory = (await machine.abilities.inventory?.({ hostId: '' }, ending.signal)) as Inventory;
    return void process.stdout.write(`${toInventoryText(inventory)}\n`);
  }

  const settings = await settingsOf(line, process.env);
  if (!settings.token) say('PULL_SECRET_TOKEN is not set: a service that asks for a token will refuse this agent.');
  const hostId = line.hostId?.toLowerCase() ?? hostIdOf(await machine.identity());
  const transport = await openTransport({
    settings,
    hostId,
    timer: realTimer,
    connectNats,
    onFallback: (reason) => say(`NATS is not to be had, so HTTP is used: ${reason}`),
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
        intervalMs: line.intervalSeconds * 1000,
        observe: (note) => say(toLine(note)),
      },
      ending.signal,
    );
  } finally {
    await transport.close();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\nSee --help.\n`);
  process.exitCode = 1;
});
