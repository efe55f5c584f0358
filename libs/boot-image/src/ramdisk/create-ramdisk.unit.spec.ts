import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { BootImageError } from '../boot-image.error';
import { readInitramfs } from '../cpio/initramfs';
import { createRamdisk } from './create-ramdisk';

describe('a ramdisk', () => {
  it('has the files and the directories that lead to them, in order', () => {
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

  it.each(['etc/x', '/', '', '/a//b', '/a/../b', '/a/.', '/a\0b', '/a\nb', '/a/'])('takes no file at %j', (path) => {
    expect(() => createRamdisk([{ path, mode: 0o600, content: '' }])).toThrow(BootImageError);
  });

  it('takes no path twice, none below a file, and no devices', () => {
    const file = (path: string, mode = 0o600) => ({ path, mode, content: '' });
    expect(() => createRamdisk([file('/a'), file('/a')])).toThrow('comes twice');
    expect(() => createRamdisk([file('/a'), file('/a/b')])).toThrow('/a is a file');
    expect(() => createRamdisk([file('/a', 0o060600)])).toThrow('neither a file nor a link');
  });

  it('is the same bytes every time and unpacks to what went in', () => {
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
