import { isAllowedOrigin } from './http-endpoint';

describe('ALLOWED_DOMAINS', () => {
  it.each([
    ['https://*.example.com:*', 'https://console.example.com:8443', true],
    ['https://*.example.com:*', 'https://evil.com', false],
    ['https://*.example.com:*', 'https://console.example.com', false],
    ['*://*.example.com', 'http://console.example.com', true],
    ['*://*.example.com', 'http://console.example.com.evil.com', false],
    ['*://*.example.com', '.example.com', false],
    ['https://*.a.*.example.com', 'https://x.a.y.a.example.com', true],
    ['https://*.a.*.example.com', 'https://x.a.example.com', false],
    ['https://*a*a', 'https://a', false],
    ['https://*.example.com', 'https://Console.Example.com', true],
    ['https://a.example.com', 'https://a.example.com.evil.com', false],
    ['*', 'null', true],
  ])('with the value %s and the origin %s permit requests: %s', (pattern, origin, expected) =>
    expect(isAllowedOrigin(origin, [pattern])).toBe(expected),
  );
});
