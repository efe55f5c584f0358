import { HttpRefused } from './http-client';

describe('the reason of a refused call', () => {
  it.each([
    ['an error of the v2 API', '{"kind":"Error","code":"409","reason":"Not now."}'],
    ['an error of the HTTP server', '{"code":400,"message":"Not now."}'],
    ['a problem of the Muster API', '{"type":"urn:muster:problem:busy","title":"Busy","detail":"Not now."}'],
    ['another text', ' Not now.\n'],
  ])('is read from %s', (_, body) => {
    const refused = new HttpRefused({ method: 'GET', path: '/a' }, { status: 409, body: Buffer.from(body) });
    expect(refused.reason).toBe('Not now.');
    expect(refused.message).toBe('GET /a was answered 409: Not now.');
  });
});
