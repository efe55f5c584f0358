import { createServer } from 'node:net';
import { SettingsReader } from '@muster/nest-kit';
import { freePort } from './nats-process';
import { describeFailure, holderOfPort } from './start-error';

describe('the process that uses a port', () => {
  it('is the one that listens on it', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    expect(holderOfPort(port)).toMatch(new RegExp(`^process ${process.pid} \\(`));
    await new Promise((resolve) => server.close(resolve));
    expect(holderOfPort(port)).toBeUndefined();
  });
});

describe('a free port on an address of another machine', () => {
  it.each(['192.0.2.1', 'absent.invalid'])('is refused with the setting of %s', async (host) => {
    // An error of the network is an instance of another realm's Error in tests.
    const own = (error: Error) => Object.assign(new Error(error.message), error);
    const error: unknown = await freePort(host).catch(own);
    const { lines } = describeFailure(error, new SettingsReader({ NATS_HOST: host }));
    expect(lines).toEqual([`The address ${host} (NATS_HOST) is not an address of this machine. Change NATS_HOST.`]);
  });
});

describe('a free port', () => {
  const ports = (kernelPorts: readonly number[]): Promise<readonly number[]> =>
    Promise.all(Array.from({ length: 50 }, () => freePort('127.0.0.1', kernelPorts)));

  it.each([
    [32_768, 60_999],
    [15_000, 60_999],
  ])('is none that the kernel gives to other programs: %i to %i', async (first, last) => {
    const outside = (await ports([first, last])).filter((port) => port < 10_000 || port >= Math.min(first, 30_000));
    expect(outside).toEqual([]);
  });

  it.each([[[1_024, 65_535]], [[]]])('is one of the kernel when it gives away all ports: %j', async (range) => {
    expect((await ports(range)).filter((port) => port < 1_024)).toEqual([]);
  });
});
