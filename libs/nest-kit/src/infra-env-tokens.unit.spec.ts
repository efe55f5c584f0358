import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Secrets } from '@muster/ports';
import { agentTokenKey, signImageToken, verifyImageToken } from './infra-env-tokens';

const INFRA_ENV_ID = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
const NOW_MS = Date.UTC(2026, 0, 1);

/** Each write takes longer than the one before, as on a busy disk. */
function slowSecrets(): Secrets {
  const values = new Map<string, Buffer>();
  let writes = 0;
  return {
    open: async (scope, name) => values.get(`${scope}/${name}`),
    seal: async (scope, name, plaintext, { keepsOlder = false } = {}) => {
      for (let turns = 10 * writes++; turns > 0; turns -= 1) await nextTurn();
      if (!keepsOlder || !values.has(`${scope}/${name}`)) values.set(`${scope}/${name}`, plaintext);
    },
    shred: async () => undefined,
  };
}

describe('a key that several requests create at the same time', () => {
  it('verifies the image tokens of all of them', async () => {
    const secrets = slowSecrets();
    const sign = () => signImageToken(secrets, INFRA_ENV_ID, NOW_MS + 60_000);
    const tokens = await Promise.all([sign(), sign(), sign()]);
    const verified = await Promise.all(tokens.map((token) => verifyImageToken(secrets, token, NOW_MS)));
    expect(verified).toEqual([INFRA_ENV_ID, INFRA_ENV_ID, INFRA_ENV_ID]);
  });

  it('is the same for the agent tokens of all of them', async () => {
    const secrets = slowSecrets();
    const [first, second] = await Promise.all([agentTokenKey(secrets), agentTokenKey(secrets)]);
    expect(second).toEqual(first);
    expect(await agentTokenKey(secrets)).toEqual(first);
  });

  it('stays the one with which another process has already signed', async () => {
    const secrets = slowSecrets();
    const ofOther = Buffer.alloc(32, 1);
    const late: Secrets = {
      ...secrets,
      seal: async (scope, name, ...given) => {
        await secrets.seal(scope, name, ofOther);
        await secrets.seal(scope, name, ...given);
      },
    };
    expect(await agentTokenKey(late)).toEqual(ofOther);
    expect(await agentTokenKey(secrets)).toEqual(ofOther);
  });
});
