import fc from 'fast-check';

import { BootImageError } from '../boot-image.error';
import { CPIO_DIRECTORY, CPIO_REGULAR_FILE, CPIO_SYMLINK, readCpio, writeCpio, type CpioEntry } from './newc';

const entry: fc.Arbitrary<CpioEntry> = fc.record({
  name: fc
    .string({ minLength: 1, maxLength: 30, unit: 'grapheme' })
    .filter((name) => !name.includes('\0') && name !== 'TRAILER!!!'),
  mode: fc.constantFrom(CPIO_REGULAR_FILE | 0o644, CPIO_DIRECTORY | 0o755, CPIO_SYMLINK | 0o777),
  data: fc.uint8Array({ maxLength: 40 }),
});

const plain = ({ name, mode, data }: CpioEntry) => ({ name, mode, data: [...data] });

describe('newc archives', () => {
  it('read back as written, from any position, with the exact end', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 6 }), fc.nat(9), (entries, start) => {
        const archive = writeCpio(entries);
        const result = readCpio(Buffer.concat([Buffer.alloc(start), archive, Buffer.from('after')]), start);
        expect(result.entries.map(plain)).toEqual(entries.map(plain));
        expect(result.end).toBe(start + archive.length);
        expect(archive.length % 4).toBe(0);
      }),
    );
  });

  it('have the header that the format asks for', () => {
    const archive = Buffer.from(writeCpio([{ name: 'config.ign', mode: 0o100644, data: Buffer.from('{}') }]));
    expect(archive.subarray(0, 110).toString()).toBe(
      ['070701', '00000001', '000081a4', '00000000', '00000000', '00000001', '00000000', '00000002']
        .concat(['00000000', '00000000', '00000000', '00000000', '0000000b', '00000000'])
        .join(''),
    );
    expect(archive.subarray(110, 124).toString()).toBe('config.ign\0\0\0\0');
    expect(archive.subarray(124, 128).toString()).toBe('{}\0\0');
    expect(archive.includes('TRAILER!!!')).toBe(true);
  });

  it.each(['', 'a\0b', 'TRAILER!!!', 'x'.repeat(5000)])('cannot carry a file named %j', (name) => {
    expect(() => writeCpio([{ name, mode: 0o100644, data: new Uint8Array() }])).toThrow(BootImageError);
  });

  it('are refused when cut off anywhere', () => {
    const archive = writeCpio([{ name: 'file', mode: 0o100644, data: Buffer.from('content') }]);
    // The last three bytes are padding of the trailer, which readers do not need.
    for (let length = 0; length < archive.length - 3; length += 1) {
      expect(() => readCpio(archive.subarray(0, length))).toThrow(BootImageError);
    }
  });

  it('are refused when a header lies about sizes', () => {
    const archive = Buffer.from(writeCpio([{ name: 'file', mode: 0o100644, data: Buffer.from('content') }]));
    archive.write('ffffffff', 6 + 6 * 8);
    expect(() => readCpio(archive)).toThrow('cut off');
    archive.write('zzzzzzzz', 6 + 6 * 8);
    expect(() => readCpio(archive)).toThrow('not hexadecimal');
  });
});
