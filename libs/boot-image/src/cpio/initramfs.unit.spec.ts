import { gzip } from './gzip';
import { readInitramfs } from './initramfs';
import { writeCpio } from './newc';

const archive = (name: string, text: string) => writeCpio([{ name, mode: 0o100644, data: Buffer.from(text) }]);
const texts = (bytes: Uint8Array) => readInitramfs(bytes).map(({ name, data }) => [name, Buffer.from(data).toString()]);

describe('a ramdisk', () => {
  it('of nothing but zeros is empty', () => {
    expect(texts(new Uint8Array(1000))).toEqual([]);
    expect(texts(new Uint8Array())).toEqual([]);
  });

  it('is read across compressed and plain archives, with padding between and after', () => {
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
  ])('compressed with %s is refused by that name', (format, magic) => {
    expect(() => readInitramfs(Buffer.concat([Buffer.alloc(4), Buffer.from(magic), Buffer.alloc(20)]))).toThrow(
      expect.objectContaining({ code: 'unsupported_compression', message: expect.stringContaining(format) }),
    );
  });

  it('with garbage after the archive is refused, and says where', () => {
    const bytes = Buffer.concat([archive('a', '1'), Buffer.from('garbage')]);
    expect(() => readInitramfs(bytes)).toThrow(`at ${bytes.length - 7}`);
  });
});
