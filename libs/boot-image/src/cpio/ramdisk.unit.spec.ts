import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { BootImageError } from '../boot-image.error';
import { gzip } from './gzip';
import {
  CPIO_DIRECTORY,
  CPIO_REGULAR_FILE,
  CPIO_SYMLINK,
  type CpioEntry,
  createRamdisk,
  readCpio,
  readInitramfs,
  writeCpio,
} from './ramdisk';

const entry: fc.Arbitrary<CpioEntry> = fc.record({
  name: fc
    .string({ minLength: 1, maxLength: 30, unit: 'grapheme' })
    .filter((name) => !name.includes('\0') && name !== 'TRAILER!!!'),
  mode: fc.constantFrom(CPIO_REGULAR_FILE | 0o644, CPIO_DIRECTORY | 0o755, CPIO_SYMLINK | 0o777),
  data: fc.uint8Array({ maxLength: 40 }),
});

const plain = ({ name, mode, data }: CpioEntry) => ({ name, mode, data: [...data] });

describe('newc archives', () => {
  it('are read as they were written, from any position, with the exact end', () => {
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

  it('have the header of the format', () => {
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

  it.each(['', 'a\0b', 'TRAILER!!!', 'x'.repeat(5000)])('cannot contain a file named %j', (name) => {
    expect(() => writeCpio([{ name, mode: 0o100644, data: new Uint8Array() }])).toThrow(BootImageError);
  });

  it('are refused when they are incomplete', () => {
    const archive = writeCpio([{ name: 'file', mode: 0o100644, data: Buffer.from('content') }]);
    // The last three bytes are padding of the trailer, which is not read.
    for (let length = 0; length < archive.length - 3; length += 1) {
      expect(() => readCpio(archive.subarray(0, length))).toThrow(BootImageError);
    }
  });

  it('are refused when a header contains wrong sizes', () => {
    const archive = Buffer.from(writeCpio([{ name: 'file', mode: 0o100644, data: Buffer.from('content') }]));
    archive.write('ffffffff', 6 + 6 * 8);
    expect(() => readCpio(archive)).toThrow('cut off');
    archive.write('zzzzzzzz', 6 + 6 * 8);
    expect(() => readCpio(archive)).toThrow('not hexadecimal');
  });
});

const archive = (name: string, text: string) => writeCpio([{ name, mode: 0o100644, data: Buffer.from(text) }]);
const texts = (bytes: Uint8Array) => readInitramfs(bytes).map(({ name, data }) => [name, Buffer.from(data).toString()]);

describe('reading a ramdisk', () => {
  it('returns no entries for zeros only', () => {
    expect(texts(new Uint8Array(1000))).toEqual([]);
    expect(texts(new Uint8Array())).toEqual([]);
  });

  it('reads compressed and plain archives with padding between and after them', () => {
    const bytes = Buffer.concat([
      gzip(archive('a', '1')),
      Buffer.alloc(5),
      archive('b', '2'),
      archive('c', '3'),
      gzip(Buffer.concat([archive('d', '4'), Buffer.alloc(512), archive('a', '5')])),
      Buffer.alloc(300),
    ]);
    expect(texts(bytes)).toEqual([
      ['a', '1'],
      ['b', '2'],
      ['c', '3'],
      ['d', '4'],
      ['a', '5'],
    ]);
  });

  it.each([
    ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
    ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ])('refuses compression with %s with its name', (format, magic) => {
    expect(() => readInitramfs(Buffer.concat([Buffer.alloc(4), Buffer.from(magic), Buffer.alloc(20)]))).toThrow(
      expect.objectContaining({ code: 'unsupported_compression', message: expect.stringContaining(format) }),
    );
  });

  it('refuses other data after an archive with its position', () => {
    const bytes = Buffer.concat([archive('a', '1'), Buffer.from('garbage')]);
    expect(() => readInitramfs(bytes)).toThrow(`at ${bytes.length - 7}`);
  });
});

describe('writing a ramdisk', () => {
  it('contains the files and their parent directories in order', () => {
    const ramdisk = createRamdisk([
      { path: '/usr/local/bin/run.sh', mode: 0o755, content: '#!/bin/sh\n' },
      { path: '/usr/local/bin/other.sh', mode: 0o755, content: '' },
      { path: '/etc/wants/unit.service', mode: 0o120777, content: '/etc/unit.service' },
    ]);
    expect(ramdisk.length % 4).toBe(0);
    expect(
      readInitramfs(ramdisk).map(({ name, mode, data }) => [name, mode.toString(8), Buffer.from(data).toString()]),
    ).toEqual([
      ['usr', '40755', ''],
      ['usr/local', '40755', ''],
      ['usr/local/bin', '40755', ''],
      ['usr/local/bin/run.sh', '100755', '#!/bin/sh\n'],
      ['usr/local/bin/other.sh', '100755', ''],
      ['etc', '40755', ''],
      ['etc/wants', '40755', ''],
      ['etc/wants/unit.service', '120777', '/etc/unit.service'],
    ]);
  });

  it.each(['etc/x', '/', '', '/a//b', '/a/../b', '/a/.', '/a\0b', '/a\nb', '/a/'])('refuses a file at %j', (path) => {
    expect(() => createRamdisk([{ path, mode: 0o600, content: '' }])).toThrow(BootImageError);
  });

  it('refuses duplicate paths, files below a file, and devices', () => {
    const file = (path: string, mode = 0o600) => ({ path, mode, content: '' });
    expect(() => createRamdisk([file('/a'), file('/a')])).toThrow('occurs twice');
    expect(() => createRamdisk([file('/a'), file('/a/b')])).toThrow('/a is a file');
    expect(() => createRamdisk([file('/a', 0o060600)])).toThrow('neither a file nor a link');
  });

  it('results in equal bytes for equal files, which can be unpacked again', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/)),
        fc.uint8Array({ maxLength: 300 }),
        (names, content) => {
          const files = names.map((name) => ({ path: `/d/${name}`, mode: 0o644, content }));
          const ramdisk = createRamdisk(files);
          expect(createRamdisk(files)).toEqual(ramdisk);
          expect(
            readInitramfs(ramdisk)
              .filter(({ mode }) => mode === 0o100644)
              .map(({ name }) => `/${name}`),
          ).toEqual(files.map(({ path }) => path));
          expect(gunzipSync(ramdisk).subarray(0, 6).toString()).toBe('070701');
        },
      ),
    );
  });
});
