import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { zeroSource } from '@muster/boot-image';
import { portOf } from '@muster/nest-kit';
import { sendBody } from './send-image';

const STALLED_MS_MAX = 3_000;
/** More than the buffers of both sockets. */
const SIZE = 32 * 1024 * 1024;

describe('a client that does not read its download', () => {
  let server: Server;
  let sent: Promise<boolean>;
  beforeEach(async () => {
    server = createServer((_request, response) => {
      sent = sendBody(response, zeroSource(SIZE), [{ offset: 0, length: SIZE }], STALLED_MS_MAX);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const download = (): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      get({ port: portOf(server), agent: false }, (answer) => resolve(answer.pause())).once('error', reject);
    });

  it('is disconnected, so that it does not keep its place among the concurrent downloads', async () => {
    const answer = await download();
    expect(await sent).toBe(false);
    const read = async (): Promise<void> => {
      for await (const chunk of answer) void chunk;
    };
    await expect(read()).rejects.toThrow(/aborted/);
  });

  it('is disconnected when it accepts some bytes now and then, and no whole chunk in time', async () => {
    const accepted = jest.fn();
    // The timeout of a socket begins again with each byte that the client accepts, so this client never reaches it.
    const slow = Object.assign(
      new Writable({
        write: (_chunk, _encoding, done) => {
          accepted();
          setTimeout(done, 2 * STALLED_MS_MAX).unref();
        },
      }),
      { setTimeout: () => undefined },
    );
    expect(await sendBody(slow as never, zeroSource(SIZE), [{ offset: 0, length: 1_000 }], STALLED_MS_MAX)).toBe(false);
    expect(accepted).toHaveBeenCalledTimes(1);
    expect(slow.destroyed).toBe(true);
  });

  it('receives everything when it continues in time, however long the whole download takes', async () => {
    const answer = await download();
    let bytes = 0;
    let pauses = 0;
    for await (const chunk of answer) {
      const before = bytes;
      bytes += (chunk as Buffer).length;
      const isPause = Math.floor(before / (SIZE / 8)) !== Math.floor(bytes / (SIZE / 8));
      pauses += Number(isPause);
      if (isPause) await sleep(STALLED_MS_MAX / 6);
    }
    expect([bytes, pauses, await sent]).toEqual([SIZE, 8, true]);
  });
});
