import { urlHost } from './values';

describe('urlHost', () => {
  it.each([
    ['::1', '[::1]'],
    ['192.0.2.1', '192.0.2.1'],
    ['muster.example.com', 'muster.example.com'],
  ])('returns %s as %s', (host, expected) => {
    expect(urlHost(host)).toBe(expected);
    expect(new URL(`http://${urlHost(host)}:80/`).hostname).toBe(expected);
  });
});
