import { basicAuthorization, proxyOf, readProxySettings } from './proxy';

const settings = {
  httpProxy: 'http://proxy.example.com:3128',
  httpsProxy: 'http://user:p%40ss@secure.example.com:3129',
  noProxy: '.cluster.local, api.example.org,192.0.2.0/24,2001:db8::/32,plain.example.net:8080,198.51.100.7',
};

describe('proxy of a request', () => {
  it.each([
    ['http://mirror.example.com/', 'proxy.example.com:3128'],
    ['https://mirror.example.com/', 'secure.example.com:3129'],
    ['http://plain.example.net/', 'proxy.example.com:3128'],
  ])('for %s is %s', (url, host) => {
    expect(proxyOf(new URL(url), settings)?.host).toBe(host);
  });

  it.each([
    'http://localhost:8090/',
    'http://127.0.0.1:8090/',
    'http://[::1]:8090/',
    'https://a.cluster.local/',
    'https://api.example.org/',
    'https://deep.api.example.org/',
    'http://192.0.2.9/',
    'http://[2001:db8::1]/',
    'http://plain.example.net:8080/',
    'http://198.51.100.7/',
  ])('for %s is none', (url) => {
    expect(proxyOf(new URL(url), settings)).toBeUndefined();
  });

  it.each(['2001:DB8:0:0::0007', '[2001:db8:0::7]:8090'])(
    'is none for an IPv6 address that is written as %s',
    (noProxy) => {
      expect(proxyOf(new URL('http://[2001:db8::7]:8090/'), { ...settings, noProxy })).toBeUndefined();
      expect(proxyOf(new URL('http://[2001:db8::8]:8090/'), { ...settings, noProxy })).toBeDefined();
    },
  );

  it('is none for all hosts when NO_PROXY is an asterisk', () => {
    expect(proxyOf(new URL('http://mirror.example.com/'), { ...settings, noProxy: '*' })).toBeUndefined();
  });

  it('is read from upper-case and lower-case variables', () => {
    expect(readProxySettings({ http_proxy: 'http://a:1', HTTPS_PROXY: 'http://b:2', no_proxy: 'c' })).toEqual({
      httpProxy: 'http://a:1',
      httpsProxy: 'http://b:2',
      noProxy: 'c',
    });
  });

  it('is read from the lower-case variable when the upper-case one is empty', () => {
    const read = readProxySettings({ HTTP_PROXY: '', http_proxy: 'http://a:1', NO_PROXY: '', no_proxy: 'c' });
    expect(read).toEqual({ httpProxy: 'http://a:1', httpsProxy: '', noProxy: 'c' });
  });

  it('refuses a proxy that is not a URL', () => {
    expect(() => proxyOf(new URL('http://x.example.com/'), { ...settings, httpProxy: 'http://:::' })).toThrow(
      /is not a URL/,
    );
  });

  it.each(['http://user:50%@p', 'http://user:p%E4ss@p'])('has the bytes of the credentials in %s', (url) => {
    const header = basicAuthorization(new URL(url)) ?? '';
    const bytes = Buffer.from(header.replace('Basic ', ''), 'base64').toString('latin1');
    expect(bytes).toBe(url.includes('50') ? 'user:50%' : 'user:p\u00e4ss');
  });

  it('has decoded credentials', () => {
    const header = basicAuthorization(new URL(settings.httpsProxy)) ?? '';
    expect(Buffer.from(header.replace('Basic ', ''), 'base64').toString()).toBe('user:p@ss');
  });
});
