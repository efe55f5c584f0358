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
