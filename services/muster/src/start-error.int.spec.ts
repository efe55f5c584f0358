import { createServer } from 'node:net';
import { holderOfPort } from './start-error';

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
