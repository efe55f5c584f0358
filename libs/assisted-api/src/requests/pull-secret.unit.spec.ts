import { pullSecretError } from './wire-values';

const AUTH = Buffer.from('user:password').toString('base64');

describe('pullSecretError', () => {
  it('takes a secret with an auth for each registry, whatever else is there', () => {
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
});
