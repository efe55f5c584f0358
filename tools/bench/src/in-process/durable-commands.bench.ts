import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { sqliteEventStore } from '@muster/adapter-sqlite';
import { eventCategory, STREAM_OWNERS } from '@muster/contracts';
import { type InfraEnvCommand, infraEnvDecider } from '@muster/domain';
import { createCommandHandler, ownedEventStore } from '@muster/event-sourcing';
import { musterEventStore } from '@muster/nest-kit';
import type { EventStore } from '@muster/ports';
import { type Bench, perSecond } from '../measurement';

/** Keeps `inFlight` calls running until `until` returns true. Returns their number and the total time. */
export async function keepInFlight(
  inFlight: number,
  until: (started: number) => boolean,
  call: (n: number) => Promise<void>,
): Promise<{ readonly calls: number; readonly ms: number }> {
  let started = 0;
  const startedMs = performance.now();
  const worker = async (): Promise<void> => {
    while (!until(started)) await call(started++);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return { calls: started, ms: performance.now() - startedMs };
}

/** Stops after a time. */
export const forMs = (ms: number): (() => boolean) => {
  const endMs = performance.now() + ms;
  return () => performance.now() >= endMs;
};

const AGGREGATES = 256;
const IN_FLIGHT = [1, 64];
const AT = '2024-01-01T00:00:00.000Z';

/** Commands that each store one event, through handler, contract check and SQLite with synchronous=FULL. */
export const durableCommands: Bench = {
  name: 'commands',
  about: 'durable commands per second through the command handler on SQLite',
  run: async (bed) => {
    const store = sqliteEventStore({ file: join(bed.directory('commands'), 'events.sqlite') });
    try {
      const send = await registered(store);
      const measurements = [];
      for (const inFlight of IN_FLIGHT) {
        const { calls, ms } = await keepInFlight(inFlight, forMs(bed.isQuick ? 300 : 5_000), send);
        measurements.push({
          what: `durable commands, ${inFlight} in flight`,
          measured: perSecond(calls, ms),
          budget: inFlight === 1 ? '' : '> 2 000/s',
        });
      }
      return measurements;
    } finally {
      await store.close();
    }
  },
};

/** Registers infra-envs. Returns a function that sends the n-th command to one of them. */
async function registered(eventStore: EventStore): Promise<(n: number) => Promise<void>> {
  const handler = createCommandHandler({
    category: eventCategory('infraEnv'),
    decider: infraEnvDecider,
    store: ownedEventStore(musterEventStore(eventStore), 'registration', STREAM_OWNERS),
    clock: { nowMs: () => Date.now() },
    ids: { uuid: () => randomUUID() },
  });
  const send = async (id: string, command: InfraEnvCommand): Promise<void> => {
    const commandId = randomUUID();
    await handler.execute(id, command, { commandId, correlationId: commandId, actor: 'bench' });
  };
  const ids = Array.from({ length: AGGREGATES }, () => randomUUID());
  const owner = { userName: 'bench', orgId: 'bench', emailDomain: 'example.com' };
  for (const infraEnvId of ids) {
    const settings = { name: infraEnvId, cpuArchitecture: 'x86_64', openshiftVersion: '4.18' };
    await send(infraEnvId, { type: 'Register', at: AT, infraEnvId, settings, owner, pullSecretSet: true });
  }
  return (n) => send(ids[n % ids.length] ?? '', { type: 'RotateSigningKey', at: AT });
}
