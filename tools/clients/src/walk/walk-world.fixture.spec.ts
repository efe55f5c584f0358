import { startEmbedded, type RunningMuster } from '@muster/service-muster';
import { generateHardware, simulatedMachine, type SimulatedMachine } from '@muster/tool-simulator';
import { embeddedSettings, temporaryDirectory } from '@muster/testing';
import type { RecordedEvent } from '@muster/ports';

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface WalkWorld {
  readonly muster: RunningMuster;
  readonly errors: string[];
  /** Sends a request below `/api/assisted-install/v2`. */
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<RestAnswer>;
  /** Sends a form with one file. */
  upload(path: string, file: { readonly field: string; readonly text: string }): Promise<RestAnswer>;
  read<Answer>(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  eventsAfter(position: number): Promise<readonly RecordedEvent[]>;
  machine(index: number): SimulatedMachine;
  close(): Promise<void>;
}

const MACHINES = 3;
/** The artifacts of a simulated release are made without its registry. */
const SIMULATED_RELEASE = {
  openshift_version: '4.18',
  version: '4.18.52',
  cpu_architecture: 'x86_64',
  url: 'quay.io/muster/simulated-release:4.18.52',
  simulated: true,
};

/** All services with a real bus and a SQLite file, in this process. */
export async function openWalkWorld(environment: Readonly<Record<string, string>> = {}): Promise<WalkWorld> {
  const directory = temporaryDirectory();
  const errors: string[] = [];
  const keep = (...words: unknown[]): void => void errors.push(words.map(String).join(' '));
  const muster = await startEmbedded(
    { ...embeddedSettings(directory.path), RELEASE_IMAGES: JSON.stringify([SIMULATED_RELEASE]), ...environment },
    { log: () => undefined, error: keep, warn: () => undefined },
  );
  const endpoint = muster.services.find(({ name }) => name === 'gateway')?.endpoints[0] ?? '';
  const machines = Array.from({ length: MACHINES }, (_, index) =>
    simulatedMachine({
      hardware: generateHardware({
        seed: `walk ${index}`,
        hostname: `walk-${index}`,
        address: `192.168.140.${20 + index}/24`,
        gateway: '192.168.140.1',
        cpuCount: 16,
        memoryGib: 64,
      }),
      timeScale: 1_000_000,
      transport: 'http',
    }),
  );
  for (const machine of machines)
    machine.insert({ infraEnvId: '', url: endpoint, agentVersion: 'walk' } as unknown as Parameters<
      SimulatedMachine['insert']
    >[0]);
  const answerOf = async (response: Response): Promise<RestAnswer> => ({
    status: response.status,
    headers: response.headers,
    text: await response.text(),
  });
  const send: WalkWorld['send'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${endpoint}/api/assisted-install/v2${path}`, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return answerOf(response);
  };
  return {
    muster,
    errors,
    send,
    upload: async (path, { field, text }) => {
      const form = new FormData();
      form.append(field, new Blob([text]), 'walk.tar.gz');
      return answerOf(await fetch(`${endpoint}/api/assisted-install/v2${path}`, { method: 'POST', body: form }));
    },
    read: async (path, headers) => JSON.parse((await send('GET', path, undefined, headers)).text) as never,
    eventsAfter: async (position) => {
      const events: RecordedEvent[] = [];
      for await (const page of muster.platform.eventStore.readAll(position)) events.push(...page);
      return events;
    },
    machine: (index) => {
      const machine = machines[index % MACHINES];
      if (!machine) throw new Error('There is no such machine.');
      return machine;
    },
    close: async () => {
      await muster.close();
      directory.remove();
    },
  };
}
