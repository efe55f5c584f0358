import { pullSecretError } from './wire-values';

const AUTH = Buffer.from('user:password').toString('base64');

describe('pullSecretError', () => {
  it('returns undefined for a secret with an auth for each registry and any other members', () => {
    expect(
      pullSecretError(JSON.stringify({ auths: { a: { auth: AUTH, email: 'a@example.com' } }, other: 1 })),
    ).toBeUndefined();
  });

  it.each([
    '',
    'null',
    '[]',
    '{}',
    '{"auths":[]}',
    '{"auths":{}}',
    '{"auths":{"a":null}}',
    '{"auths":{"a":{"auth":""}}}',
    '{"auths":{"a":{"auth":"cGxhaW4="}}}',
  ])('refuses %s', (text) => expect(pullSecretError(text)).toMatch(/pull_secret/));

  it('names the field and never repeats a value', () => {
    expect(pullSecretError('{"auths":{"quay.io":{"auth":"c2VjcmV0"}}}')).toBe(
      'pull_secret.auths.quay.io.auth must be base64 of user:password. Paste the whole document as it was downloaded',
    );
    expect(pullSecretError('{"auths":')).toContain('pull_secret must be a JSON document');
  });
});
