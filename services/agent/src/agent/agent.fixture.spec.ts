import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { realTimer, type Timer } from '@muster/host-api';
import type { Machine } from '../machine/machine.port';
import { createHttpTransport } from '../transport/http-transport';
import { type AgentLogEntry, type AgentOptions, runAgent } from './agent';

export const INFRA_ENV_ID = '0b5e6f0e-6f4b-4f0e-9a55-4a8f3a5b8f10';
export const HOST_ID = 'c01d071b-72be-3977-1bb2-5aa770057ed0';

export interface Received {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}
export type Answer = { readonly status: number; readonly json?: unknown } | 'hang up';

/** An HTTP service on loopback whose responses the test defines. */
export async function startHttpService(answer: (call: Received) => Answer) {
  const calls: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const url = new URL(request.url ?? '', 'http://localhost');
      const call = {
        method: request.method ?? '',
        url,
        headers: request.headers,
        body: text ? JSON.parse(text) : undefined,
      };
      calls.push(call);
      const said = answer(call);
      if (said === 'hang up') return void request.socket.destroy();
      response.writeHead(said.status, { 'content-type': 'application/json' });
      response.end(said.json === undefined ? '' : JSON.stringify(said.json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    of: (method: string, end: string) =>
      calls.filter((call) => call.method === method && call.url.pathname.endsWith(end)),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const registered = (agentVersion = 'quay.io/agent:1'): Answer => ({
  status: 201,
  json: {
    id: HOST_ID,
    next_step_runner_command: {
      args: [JSON.stringify({ infra_env_id: INFRA_ENV_ID, host_id: HOST_ID, agent_version: agentVersion })],
    },
  },
});

/** Waits take a hundredth of their time, so their order stays the same. */
export const quickTimer: Timer = { sleep: (ms, signal) => realTimer.sleep(Math.min(ms / 100, 50), signal) };

export const machineThatCan = (abilities: Machine['abilities']): Machine => ({
  abilities,
  identity: async () => ({
    baseboardSerial: '.ABC123.CN7475148L0123.',
    systemUuid: '',
    systemSerial: 'ABC123',
    macAddresses: ['52:54:00:BB:00:01', '52:54:00:aa:00:01'],
    bootId: 'boot-1',
  }),
  isMediaReadable: async () => true,
  isInstalling: async () => false,
});

export const collectNotes = () => {
  const notes: AgentLogEntry[] = [];
  return {
    notes,
    observe: (note: AgentLogEntry) => void notes.push(note),
    of: (type: AgentLogEntry['type']) => notes.filter((note) => note.type === type),
  };
};

/** An agent that polls, over HTTP, a service whose responses the test defines. */
export async function startAgent(
  answer: (call: Received) => Answer,
  abilities: Machine['abilities'] = {},
  settings: Partial<
    Pick<AgentOptions, 'agentVersion' | 'machine' | 'isRegistered' | 'keepsVersion' | 'endsAfterUpgrade'>
  > = {},
) {
  const service = await startHttpService(answer);
  const { observe, of, notes } = collectNotes();
  const ending = new AbortController();
  const transport = createHttpTransport({
    serviceUrl: service.url,
    infraEnvId: INFRA_ENV_ID,
    hostId: HOST_ID,
    token: 'secret',
    timer: quickTimer,
  });
  const running = runAgent(
    {
      machine: machineThatCan(abilities),
      transport,
      hostId: HOST_ID,
      agentVersion: 'quay.io/agent:0',
      clock: { nowMs: () => 1_700_000_000_999 },
      timer: quickTimer,
      random: () => 0.5,
      ...settings,
      observe,
    },
    ending.signal,
  );
  const stop = async (): Promise<void> => {
    ending.abort();
    await running;
    await transport.close();
    await service.stop();
  };
  return { service, of, notes, running, stop };
}
