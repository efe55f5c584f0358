import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { realTimer } from '@muster/host-api';
import { createHttpTransport } from './http-transport';
import { TransportUnreachable } from './transport.port';

it('a request ends when its answer arrives without end', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200);
    const sending = setInterval(() => response.write(' '), 20);
    response.once('close', () => clearInterval(sending));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const transport = createHttpTransport({
    serviceUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    infraEnvId: 'i',
    hostId: 'h',
    token: '',
    timer: realTimer,
    requestMsMax: 500,
  });
  await expect(transport.nextSteps('v', 1, new AbortController().signal)).rejects.toThrow(TransportUnreachable);
  await transport.close();
  server.close();
});

/** Opens the transport to a service with this answer. */
const answeredWith = async <T>(
  json: unknown,
  use: (transport: ReturnType<typeof createHttpTransport>) => Promise<T>,
) => {
  const server = createServer((_, response) => void response.end(JSON.stringify(json)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const ids = { infraEnvId: 'i', hostId: 'h', token: '', timer: realTimer };
  const transport = createHttpTransport({ serviceUrl: `http://127.0.0.1:${port}`, ...ids });
  return use(transport).finally(async () => {
    await transport.close();
    server.close();
  });
};
const { signal } = new AbortController();

it('the service determines the interval of the polls and the end of the session', async () => {
  const instructions = [{ step_type: 'inventory', step_id: 'inventory-1', args: ['h'] }];
  const json = { instructions, next_instruction_seconds: 120, post_step_action: 'exit' };
  expect(await answeredWith(json, (transport) => transport.nextSteps('v', 1, signal))).toEqual({
    steps: [{ stepType: 'inventory', stepId: 'inventory-1', args: ['h'] }],
    nextInstructionSeconds: 120,
    postStepAction: 'exit',
  });
});

it.each([
  ['without a command', {}],
  ['with several arguments', { next_step_runner_command: { args: ['{}', '{}'] } }],
  ['with an argument that is not a text', { next_step_runner_command: { args: [1] } }],
])('a registration %s is not of a compatible service', async (_, json) => {
  const identity = { baseboardSerial: '', systemUuid: '', systemSerial: '', macAddresses: [], bootId: '' };
  const registering = answeredWith(json, (transport) => transport.register('v', identity, signal));
  await expect(registering).rejects.toThrow('The service is not compatible with this agent.');
});
