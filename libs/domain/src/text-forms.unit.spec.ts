import { isMaskedProxyUrl, isProxyUrl, maskedProxyUrl } from './text-forms';

describe('the mask of a proxy URL', () => {
  it.each([
    ['http://user:pa%40ss@proxy.example.com:3128', 'http://*****@proxy.example.com:3128'],
    ['https://user@[fd00::1]:3128/', 'https://*****@[fd00::1]:3128/'],
    ['http://@proxy', 'http://*****@proxy'],
    ['http://proxy.example.com:3128', 'http://proxy.example.com:3128'],
    ['', ''],
  ])('of %s is %s', (url, masked) => {
    expect(maskedProxyUrl(url)).toBe(masked);
    expect(maskedProxyUrl(masked)).toBe(masked);
  });

  it('is distinguished from credentials', () => {
    expect(isMaskedProxyUrl('http://*****@proxy')).toBe(true);
    expect(isMaskedProxyUrl('http://user:*****@proxy')).toBe(false);
    expect(isMaskedProxyUrl('http://proxy')).toBe(false);
  });

  it.each(['http://a:b@c:d@proxy', 'http://a/b@proxy', 'ftp//a:b@proxy', 'http://a:b@proxy:99999', 'http://a b@proxy'])(
    'makes no URL of what was none: %s',
    (text) => {
      expect(isProxyUrl(text, ['http:'])).toBe(false);
      expect(isProxyUrl(maskedProxyUrl(text), ['http:'])).toBe(false);
    },
  );
});
