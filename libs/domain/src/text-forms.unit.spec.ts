import {
  isDomainName,
  isMaskedProxyUrl,
  isProxyUrl,
  isSameValue,
  isSshPublicKeys,
  maskedProxyUrl,
  noProxyFault,
  proxyCredentialsRefusal,
  withoutCredentials,
} from './text-forms';

describe('mask of a proxy URL', () => {
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
    'does not change a text that is not a URL: %s',
    (text) => {
      expect(isProxyUrl(text, ['http:'])).toBe(false);
      expect(isProxyUrl(maskedProxyUrl(text), ['http:'])).toBe(false);
    },
  );
});

it('replaces credentials in a document with masks, and nothing else', () => {
  const given = (secret: string, url: string) => ({
    pullSecret: secret,
    fips: true,
    proxy: { httpProxy: `http://${url}proxy:3128`, noProxy: 'me@example.com' },
    hosts: [
      { bmc: { address: `redfish-virtualmedia+https://${url}bmc/1`, username: 'root', password: secret, port: 1 } },
      { bmc: { address: 'ipmi://192.0.2.1', password: '', none: null } },
    ],
    'private-key-password': [secret],
  });
  expect(withoutCredentials(given('canary', 'me:canary@'))).toEqual(given('*****', '*****@'));
});

describe('the host of a proxy', () => {
  it.each(['http://proxy-1.example.com:3128', 'http://192.0.2.1/', 'http://[fd00::1]:3128', 'http://pröxy'])(
    'may be that of %s',
    (url) => expect(isProxyUrl(url, ['http:'])).toBe(true),
  );

  it.each([
    'http://proxy{1}:3128',
    'http://pro\\xy',
    'http://pro^xy',
    'http://pro|xy',
    'http://pro`xy',
    'http://pro\u007fxy',
  ])('cannot be that of %s, which Ignition cannot read', (url) => expect(isProxyUrl(url, ['http:'])).toBe(false));
});

describe('credentials of a proxy', () => {
  it.each([
    'http://user:p%40%23-._~!$&()*+,;=:@proxy:3128',
    'https://*****@proxy',
    'http://@proxy',
    'http://proxy',
    '',
  ])('can be read in %j', (url) => expect(proxyCredentialsRefusal(url, 'http_proxy')).toBeUndefined());

  it.each([
    [`http://user:${'%40'.repeat(480)}@proxy:3128`, undefined],
    [`http://user:${'%40'.repeat(500)}@proxy:3128`, 'http_proxy has 1523 characters. Allowed: at most 1500.'],
    [`http://${'p'.repeat(1_500)}`, 'http_proxy has 1507 characters. Allowed: at most 1500.'],
  ])('fit into a line of a unit, which Ignition limits: case %#', (url, reason) => {
    expect(proxyCredentialsRefusal(url, 'http_proxy')?.reason).toBe(reason);
  });

  it.each(['http://user:pa#ss@proxy', 'http://us?er:pass@proxy', 'http://user:50%@proxy', 'http://user:%zz@proxy'])(
    'cannot be read in %j, whose credentials are not shown',
    (url) =>
      expect(proxyCredentialsRefusal(url, 'http_proxy')).toEqual({
        code: 'invalid-input',
        reason:
          'The user or the password in http_proxy has a character that must be in percent-encoding, such as %23 for #.',
        subject: 'http_proxy',
      }),
  );

  it.each(['http://proxy?x', 'http://proxy#x:80', 'http://pro%xy'])(
    'are not read in %j, which is not the URL of a proxy',
    (url) => expect(isProxyUrl(url, ['http:'])).toBe(false),
  );
});

describe('places without a proxy', () => {
  it.each([
    ['', undefined],
    ['*', undefined],
    ['*.example.com', undefined],
    ['.example.com, Host_1.lan.,localhost', undefined],
    ['10.0.0.0/8,192.0.2.1,fd00::/48,::1,', undefined],
    ['example.com,http://user:secret@example.com', 2],
    ['a.example.com b.example.com', 1],
    [',::1,10.0.0.0/40', 3],
    ['..example.com', 1],
  ])('in %j: the wrong item is the one with the number %j, and is not shown', (list, wrong) => {
    const fault = wrong && { reason: `Item ${wrong} of no_proxy is neither a name, nor an address, nor a network.` };
    expect(noProxyFault(list)).toEqual(fault);
  });
});

describe('SSH public keys', () => {
  const part = (content: string | Uint8Array): Buffer => {
    const bytes = Buffer.from(content);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const key = (kind: string, ...parts: readonly (string | Uint8Array)[]): string =>
    `${kind} ${Buffer.concat(parts.map(part)).toString('base64')}`;
  const ed25519 = key('ssh-ed25519', 'ssh-ed25519', Buffer.alloc(32, 1));

  it.each([
    ed25519,
    `${ed25519} me@home`,
    `${ed25519}\n\n${key('ssh-rsa', 'ssh-rsa', Buffer.from([1, 0, 1]), Buffer.alloc(257, 1))}\n`,
    key('ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp256', 'nistp256', Buffer.alloc(65, 4)),
  ])('are accepted: %s', (text) => expect(isSshPublicKeys(text)).toBe(true));

  it.each([
    ['incomplete key material', ed25519.slice(0, -8)],
    ['another type inside the key material', key('ssh-rsa', 'ssh-ed25519', Buffer.alloc(32, 1))],
    ['a type of 200,000 characters inside the key material', key('ssh-rsa', 'A'.repeat(200_000))],
    ['a missing part', key('ssh-rsa', 'ssh-rsa', Buffer.from([1, 0, 1]))],
    ['a surplus part', key('ssh-ed25519', 'ssh-ed25519', Buffer.alloc(32, 1), 'x')],
    ['text that is not base64', 'ssh-ed25519 A*AA'],
    ['text that decodes to no valid part', 'ssh-rsa AAAA'],
    ['an unknown type', key('ssh-foo', 'ssh-foo', 'x')],
    ['a type without key material', 'ssh-rsa'],
  ])('are refused with %s', (_what, text) => expect(isSshPublicKeys(text)).toBe(false));
});

describe('domain names', () => {
  it.each(['example.com', 'a.io', 'lab'])('%s is accepted', (name) => expect(isDomainName(name)).toBe(true));
  it.each(['example.c', 'c', 'a..com', '-a.com'])('%s is refused', (name) => expect(isDomainName(name)).toBe(false));
});

describe('isSameValue', () => {
  it.each([
    [
      { a: 1, b: { c: ['x'] } },
      { b: { c: ['x'] }, a: 1 },
    ],
    [{ a: 1, b: undefined }, { a: 1 }],
    [{ a: 1 }, { a: 1, b: undefined }],
    [[], []],
    ['x', 'x'],
    [undefined, undefined],
  ])('is true for %j and %j', (first, second) => {
    expect(isSameValue(first, second)).toBe(true);
  });

  it.each([
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: 1, b: 2 }, { a: 1 }],
    [{ constructor: 'x' }, {}],
    [{}, { constructor: 'x' }],
    [{ a: { b: 1 } }, { a: { b: 2 } }],
    [['x'], ['x', 'y']],
    [[], {}],
    [{}, null],
    [{}, undefined],
    ['1', 1],
  ])('is false for %j and %j', (first, second) => {
    expect(isSameValue(first, second)).toBe(false);
  });
});
