import { constants, deflateRawSync, gzipSync } from 'node:zlib';

import fc from 'fast-check';

import { BootImageError } from '../boot-image.error';
import { gunzipMember, gzip, inflate } from './gzip';

const MAX_BYTES = 1024 * 1024;

/** Repetitive and random content, so that stored, fixed and dynamic blocks occur. */
const content = fc.oneof(
  fc.uint8Array({ maxLength: 2000 }),
  fc
    .array(fc.constantFrom('ignition', 'config', '{"a":', ' ', '0'), { maxLength: 800 })
    .map((words) => Buffer.from(words.join(''))),
);

describe('inflate', () => {
  it('returns the content and the end of a stream of any level and strategy', () => {
    fc.assert(
      fc.property(
        content,
        fc.integer({ min: 0, max: 9 }),
        fc.constantFrom(constants.Z_DEFAULT_STRATEGY, constants.Z_FIXED, constants.Z_HUFFMAN_ONLY, constants.Z_RLE),
        fc.uint8Array({ maxLength: 20 }),
        (bytes, level, strategy, garbage) => {
          const packed = deflateRawSync(bytes, { level, strategy });
          const result = inflate(Buffer.concat([garbage, packed, garbage]), garbage.length, MAX_BYTES);
          expect(Buffer.compare(result.bytes, bytes)).toBe(0);
          expect(result.end).toBe(garbage.length + packed.length);
        },
      ),
    );
  });

  it('returns bytes or throws a BootImageError for any input', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        try {
          expect(inflate(bytes, 0, 10_000).bytes.length).toBeLessThanOrEqual(10_000);
        } catch (error) {
          expect(error).toBeInstanceOf(BootImageError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('refuses a content over the limit without unpacking all of it', () => {
    const bomb = deflateRawSync(Buffer.alloc(20 * MAX_BYTES));
    expect(() => inflate(bomb, 0, MAX_BYTES)).toThrow('unpacks to more than');
  });
});

describe('gzip', () => {
  it('reads members with a name and a comment in the header', () => {
    const packed = gzipSync('text');
    const named = Buffer.concat([
      packed.subarray(0, 3),
      Buffer.from([0x1c]),
      packed.subarray(4, 10),
      Buffer.from('\x02\0xxname\0comment\0'),
      packed.subarray(10),
    ]);
    expect(Buffer.from(gunzipMember(named, 0, 100).bytes).toString()).toBe('text');
  });

  it.each(['compressed', 'stored'] as const)('writes a %s member without a time stamp', (packing) => {
    const bytes = Buffer.from('a'.repeat(100_000));
    const packed = gzip(bytes, packing);
    expect([...packed.subarray(4, 8)]).toEqual([0, 0, 0, 0]);
    expect(Buffer.compare(gunzipMember(packed, 0, 100_000).bytes, bytes)).toBe(0);
  });

  it.each([
    ['a changed byte of the checksum', -8],
    ['a changed byte of the length', -4],
  ])('refuses %s', (_, at) => {
    const packed = gzip(Buffer.from('text'));
    packed[packed.length + at] = 0x55;
    expect(() => gunzipMember(packed, 0, 100)).toThrow('does not match');
  });

  it('refuses every truncation', () => {
    const packed = gzip(Buffer.from('some text to compress, some text to compress'));
    for (let length = 0; length < packed.length; length += 1) {
      expect(() => gunzipMember(packed.subarray(0, length), 0, 100)).toThrow(BootImageError);
    }
  });
});
