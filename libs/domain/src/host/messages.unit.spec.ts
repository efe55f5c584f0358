import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { installationDiskText } from './effects';
import type { HostContext } from './guards';
import { durationText, HOST_MESSAGES } from './messages';
import { initialHost } from './state';
import { truncateUtf8 } from '../status-reason';

describe('status_info of a host', () => {
  it.each(['Expected the host to boot from disk', 'Unable to read from the discovery media'])(
    'begins with the text that the guide for hardware quotes: %s',
    (text) => {
      const guide = readFileSync(join(__dirname, '../../../../docs/install-on-hardware.md'), 'utf8');
      expect(guide).toContain(`"${text}"`);
      expect(Object.values(HOST_MESSAGES).some((message) => message.startsWith(text))).toBe(true);
    },
  );

  it.each([
    ['/dev/sda', '/dev/disk/by-id/wwn-0x1', '/dev/sda (/dev/disk/by-id/wwn-0x1)'],
    ['/dev/sda', '', '/dev/sda'],
    ['', 'wwn-0x1', 'wwn-0x1'],
    ['/dev/sda', '/dev/sda', '/dev/sda'],
  ])('names an installation disk with the path "%s" and the id "%s"', (path, id, text) => {
    const state = { ...initialHost(), installationDisk: { path, id } };
    expect(installationDiskText({ state } as HostContext)).toBe(text);
  });

  it('is cut at the end of a character', () => {
    expect(truncateUtf8('añb', 2)).toBe('a');
    expect(truncateUtf8('añb', 3)).toBe('añ');
    expect(truncateUtf8('😀😀', 7)).toBe('😀');
  });

  it('is at most as long as the limit in bytes and is cut only when it is longer', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.integer({ min: 0, max: 100 }),
        (text, bytesMax) => {
          const cut = truncateUtf8(text, bytesMax);
          expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(bytesMax);
          expect(text.startsWith(cut)).toBe(true);
          if (Buffer.byteLength(text) <= bytesMax) expect(cut).toBe(text);
        },
      ),
    );
  });

  it.each([
    [1_800_000, '30m0s'],
    [3_600_000, '1h0m0s'],
    [86_400_000, '24h0m0s'],
    [5_000, '5s'],
  ])('formatDuration formats %i ms as %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});
