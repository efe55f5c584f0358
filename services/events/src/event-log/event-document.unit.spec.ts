import { formatBytes, formatSeconds } from './event-document';

describe('an amount in an event message', () => {
  it.each([
    [8.069444444444445, '8.1 s'],
    [0, '0 s'],
    [123.6, '124 s'],
  ])('of %d seconds is %s', (seconds, text) => expect(formatSeconds(seconds)).toBe(text));

  it.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1_234_567, '1.2 MB'],
    [512_000_000_000, '512 GB'],
  ])('of %d bytes is %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});
