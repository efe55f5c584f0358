import { createServer } from 'node:http';
import { type ByteSource, RANGE_CHUNK_BYTES } from '@muster/boot-image';
import { portOf } from '@muster/nest-kit';
import type { Segment } from './plan-response';
import { sendBody } from './send-image';

const SIZE = 4 * RANGE_CHUNK_BYTES;
const CONTENT = Buffer.from(Array.from({ length: SIZE }, (_, index) => index % 251));

describe('the body of a response', () => {
  /** Returns the received bytes, and the sizes of the memory into which the source was read. */
  const send = async (body: readonly Segment[]) => {
    const memory = new Map<ArrayBufferLike, number>();
    const source: ByteSource = {
      size: SIZE,
      read: async () => {
        throw new Error('the source can be read into memory that is used again');
      },
      readInto: async (offset, target) => {
        memory.set(target.buffer, target.buffer.byteLength);
        target.set(CONTENT.subarray(offset, offset + target.length));
      },
    };
    const server = createServer((_request, response) => void sendBody(response, source, body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const answer = await fetch(`http://127.0.0.1:${portOf(server)}`);
    const received = Buffer.from(await answer.arrayBuffer());
    server.closeAllConnections();
    server.close();
    return { received, memory: [...memory.values()] };
  };

  it.each([
    ['a small range', 2_048, 2_048, [2_048]],
    ['a small range over the end of a chunk', RANGE_CHUNK_BYTES - 1_000, 2_048, [2_048, 2_048]],
    ['everything', 0, SIZE, [RANGE_CHUNK_BYTES, RANGE_CHUNK_BYTES]],
  ])('of %s takes no more memory than it needs, and at most two chunks', async (_, offset, length, expected) => {
    const { memory, received } = await send([{ offset, length }]);
    expect(received.equals(CONTENT.subarray(offset, offset + length))).toBe(true);
    expect(memory).toEqual(expected);
  });

  it('of several ranges has all of them in order', async () => {
    const { memory, received } = await send([
      { text: 'a' },
      { offset: 5, length: 10 },
      { text: 'b' },
      { offset: 0, length: 100 },
    ]);
    expect(received).toEqual(
      Buffer.concat([Buffer.from('a'), CONTENT.subarray(5, 15), Buffer.from('b'), CONTENT.subarray(0, 100)]),
    );
    expect(memory).toEqual([100, 100]);
  });
});
